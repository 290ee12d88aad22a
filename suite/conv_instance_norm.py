# SPDX-License-Identifier: MIT
"""Convolution without padding, instance norm without affine parameters. The convolution's bias has no effect: the norm cancels it."""

import torch
import torch.nn as nn

batch = 32
in_channels = 64
out_channels = 128
height = 64
width = 64

SIZES = {
    "cpu": {"batch": 4, "in_channels": 4, "out_channels": 8, "height": 20, "width": 18},
    "gpu": {"batch": 32, "in_channels": 64, "out_channels": 128, "height": 64, "width": 64},
}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3)
        self.norm = nn.InstanceNorm2d(out_channels)

    def forward(self, x):
        return self.norm(self.conv(x))


def get_inputs():
    return [torch.rand(batch, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels]
