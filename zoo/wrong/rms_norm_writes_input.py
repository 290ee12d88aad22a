# SPDX-License-Identifier: MIT
"""The output is right, but the caller's input has been normalised in place on the way. Must be rejected."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = 1e-6

    def forward(self, x):
        x.mul_(torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + self.eps))
        return x * self.weight
