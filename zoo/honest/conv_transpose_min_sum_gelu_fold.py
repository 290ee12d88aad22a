# SPDX-License-Identifier: MIT
"""The transposed convolution as a product with the weight and a fold of its columns. Another order of the sums: correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size=3, stride=2, padding=1, output_padding=1)
        self.bias = nn.Parameter(torch.randn(1, 1, 1))

    def forward(self, x):
        n, _, height, width = x.shape
        columns = torch.matmul(self.conv.weight.flatten(1).t(), x.flatten(2))
        y = F.fold(columns, (2 * height, 2 * width), kernel_size=3, padding=1, stride=2)
        lowest = (y + self.conv.bias[:, None, None]).amin(dim=1, keepdim=True)
        return F.gelu(lowest.sum(dim=2, keepdim=True)) + self.bias
