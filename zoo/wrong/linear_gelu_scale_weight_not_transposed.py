# SPDX-License-Identifier: MIT
"""Multiplies by the weight where its transpose is asked for. The weight is square, so no shape tells. Wrong values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        return x + self.scale * F.gelu(torch.addmm(self.linear.bias, x, self.linear.weight))
