# SPDX-License-Identifier: MIT
"""Divides by the deviation without eps. Small inputs are far off, and a constant image is noise over noise. Wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3)
        self.norm = nn.InstanceNorm2d(out_channels)

    def forward(self, x):
        y = self.conv(x)
        mean = y.mean(dim=(2, 3), keepdim=True)
        variance = (y - mean).square().mean(dim=(2, 3), keepdim=True)
        return (y - mean) / torch.sqrt(variance)
