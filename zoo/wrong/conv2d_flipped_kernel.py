# SPDX-License-Identifier: MIT
"""A convolution in the mathematical sense: the kernel is flipped. Wrong values."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x):
        return F.conv2d(x, self.conv.weight.flip(2, 3), self.conv.bias, padding=1)
