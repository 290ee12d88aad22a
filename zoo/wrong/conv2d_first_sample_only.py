# SPDX-License-Identifier: MIT
"""Computes the first image of the batch only and leaves zeros for the others. Wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x):
        first = self.conv(x[:1])
        return torch.cat([first, first.new_zeros(x.shape[0] - 1, *first.shape[1:])])
