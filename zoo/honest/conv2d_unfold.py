# SPDX-License-Identifier: MIT
"""Convolution as im2col and one batched product. Another summation order, so correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x):
        columns = F.unfold(x, kernel_size=3, padding=1)
        out = torch.matmul(self.conv.weight.flatten(1), columns) + self.conv.bias.unsqueeze(1)
        return out.view(x.shape[0], -1, x.shape[2], x.shape[3])
