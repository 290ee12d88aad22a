# SPDX-License-Identifier: MIT
"""Takes mean and variance over the whole batch, as batch norm does, instead of over each sample. Wrong values."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3)
        self.norm = nn.InstanceNorm2d(out_channels)

    def forward(self, x):
        return F.batch_norm(self.conv(x), None, None, training=True, eps=self.norm.eps)
