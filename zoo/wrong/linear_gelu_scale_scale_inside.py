# SPDX-License-Identifier: MIT
"""Folds the scale into weight and bias, that is, moves it inside of GELU, which does not commute with a factor. Wrong values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        return x + F.gelu(F.linear(x, self.linear.weight * self.scale.unsqueeze(1), self.linear.bias * self.scale))
