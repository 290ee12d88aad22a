# SPDX-License-Identifier: MIT
"""Leaves the convolution's bias out: the norm subtracts it again, whatever its value. Correct."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3)
        self.norm = nn.InstanceNorm2d(out_channels)

    def forward(self, x):
        return F.instance_norm(F.conv2d(x, self.conv.weight), eps=self.norm.eps)
