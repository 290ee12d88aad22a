# SPDX-License-Identifier: MIT
"""Convolution, group norm, a learned scale per channel, max pooling, clamp. Scale and affine parameters start as ones and zeros:
who leaves them out, or pools before a scale that can be negative, is right until they are trained."""

import torch
import torch.nn as nn

batch = 32
in_channels = 32
out_channels = 64
groups = 8
height = 128
width = 128

SIZES = {
    "cpu": {"batch": 2, "in_channels": 4, "out_channels": 32, "groups": 4, "height": 24, "width": 20},
    "gpu": {"batch": 32, "in_channels": 32, "out_channels": 64, "groups": 8, "height": 128, "width": 128},
}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)
        self.norm = nn.GroupNorm(groups, out_channels)
        self.scale = nn.Parameter(torch.ones(out_channels, 1, 1))
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        return torch.clamp(self.pool(self.norm(self.conv(x)) * self.scale), -1.0, 1.5)


def get_inputs():
    return [torch.randn(batch, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, groups]
