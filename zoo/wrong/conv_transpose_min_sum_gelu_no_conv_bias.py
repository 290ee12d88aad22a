# SPDX-License-Identifier: MIT
"""Leaves the convolution's bias out. While GELU saturates it does not matter; with small inputs it does. Wrong."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size=3, stride=2, padding=1, output_padding=1)
        self.bias = nn.Parameter(torch.randn(1, 1, 1))

    def forward(self, x):
        y = F.conv_transpose2d(x, self.conv.weight, None, stride=2, padding=1, output_padding=1)
        return F.gelu(y.amin(dim=1, keepdim=True).sum(dim=2, keepdim=True)) + self.bias
