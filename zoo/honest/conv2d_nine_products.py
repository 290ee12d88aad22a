# SPDX-License-Identifier: MIT
"""Convolution as nine products, one for each tap, with shifted views of the padded image, added up. Another order of the same
sum, so correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x):
        height, width = x.shape[2:]
        padded = F.pad(x, (1, 1, 1, 1))
        out = self.conv.bias.unsqueeze(1)
        for dy in range(3):
            for dx in range(3):
                shifted = padded[:, :, dy:dy + height, dx:dx + width].flatten(2)
                out = out + torch.matmul(self.conv.weight[:, :, dy, dx], shifted)
        return out.view(x.shape[0], -1, height, width)
