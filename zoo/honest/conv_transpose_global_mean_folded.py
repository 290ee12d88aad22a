# SPDX-License-Identifier: MIT
"""Without padding every pixel meets every tap, so the mean is a product of the input's sums and the weight's sums. The
large image is never made. Exact algebra: correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size=4, stride=2)

    def forward(self, x):
        height, width = 2 * x.shape[2] + 2, 2 * x.shape[3] + 2
        means = x.sum(dim=(2, 3)) * (1.0 / (height * width))
        return (torch.matmul(means, self.conv.weight.sum(dim=(2, 3))) + self.conv.bias) * 0.75
