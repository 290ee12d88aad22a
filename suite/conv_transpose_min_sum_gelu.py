# SPDX-License-Identifier: MIT
"""Transposed convolution, minimum over channels, sum over rows, GELU, plus a bias. The minima are negative and there are many rows:
GELU gives exactly 0 and the output is the bias, whatever the input, unless the convolution's bias is far above 0."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 16
in_channels = 32
out_channels = 64
height = 128
width = 128

SIZES = {
    "cpu": {"batch": 2, "in_channels": 4, "out_channels": 32, "height": 80, "width": 6},
    "gpu": {"batch": 16, "in_channels": 32, "out_channels": 64, "height": 128, "width": 128},
}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size=3, stride=2, padding=1, output_padding=1)
        self.bias = nn.Parameter(torch.randn(1, 1, 1))

    def forward(self, x):
        lowest = torch.min(self.conv(x), dim=1, keepdim=True)[0]
        return F.gelu(torch.sum(lowest, dim=2, keepdim=True)) + self.bias


def get_inputs():
    return [torch.rand(batch, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels]
