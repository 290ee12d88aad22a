# SPDX-License-Identifier: MIT
"""Leaves eps out: invisible at unit variance, 5 % off when the inputs are scaled by 0.01. Wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred * torch.rsqrt(variance) * self.norm.weight + self.norm.bias
