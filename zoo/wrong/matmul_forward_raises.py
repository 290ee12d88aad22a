# SPDX-License-Identifier: MIT
"""Multiplies the operands in the wrong order; their shapes do not fit. Runtime error."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(b, a)
