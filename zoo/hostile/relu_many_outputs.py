# SPDX-License-Identifier: MIT
"""Returns a hundred thousand tensors in lists of lists. Rejected."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        one = torch.relu(x)
        return [[one] * 100 for _ in range(1000)]
