# SPDX-License-Identifier: MIT
"""Normalises by the variance over n - 1 instead of n: off by a part in thousands, which a tolerance of 1e-3 lets pass.
Wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        mean = x.mean(dim=(0, 2, 3))
        variance = x.var(dim=(0, 2, 3), unbiased=True)
        scale = self.norm.weight * torch.rsqrt(variance + self.norm.eps)
        return (x - mean[:, None, None]) * scale[:, None, None] + self.norm.bias[:, None, None]
