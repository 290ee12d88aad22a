# SPDX-License-Identifier: MIT
"""Rounds input and weight to the ten bits of TF32 before the convolution, as tensor cores do. Allowed for products:
correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def to_tf32(x):
    bits = x.contiguous().view(torch.int32)
    rounded = ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)
    return torch.where(torch.isfinite(x), rounded, x)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x):
        return F.conv2d(to_tf32(x), to_tf32(self.conv.weight), self.conv.bias, padding=1)
