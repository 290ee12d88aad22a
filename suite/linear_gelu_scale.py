# SPDX-License-Identifier: MIT
"""Fused chain: x + scale * GELU(linear(x)), erf GELU, a learned scale per feature that is neither 0 nor 1."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 8192
features = 2048

SIZES = {
    "cpu": {"batch": 256, "features": 256},
    "gpu": {"batch": 8192, "features": 2048},
}


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        return x + self.scale * F.gelu(self.linear(x))


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return [features]
