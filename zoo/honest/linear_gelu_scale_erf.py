# SPDX-License-Identifier: MIT
"""GELU spelled out with erf, and the residual by addcmul. The same formula, so correct."""

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        y = self.linear(x)
        gelu = 0.5 * y * (1.0 + torch.erf(y / math.sqrt(2.0)))
        return torch.addcmul(x, self.scale, gelu)
