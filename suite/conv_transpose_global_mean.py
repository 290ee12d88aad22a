# SPDX-License-Identifier: MIT
"""Transposed convolution, a factor, mean over the image. Without padding it folds to sums of the input and of the weight, exactly.
A mean over many uniform numbers is nearly the same for every sample."""

import torch
import torch.nn as nn

batch = 32
in_channels = 64
out_channels = 128
height = 64
width = 64

SIZES = {
    "cpu": {"batch": 4, "in_channels": 6, "out_channels": 10, "height": 16, "width": 16},
    "gpu": {"batch": 32, "in_channels": 64, "out_channels": 128, "height": 64, "width": 64},
}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size=4, stride=2)

    def forward(self, x):
        return torch.mean(self.conv(x) * 0.75, dim=(2, 3))


def get_inputs():
    return [torch.rand(batch, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels]
