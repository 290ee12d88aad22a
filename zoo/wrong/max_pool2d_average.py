# SPDX-License-Identifier: MIT
"""Averages where the maximum is asked for. Wrong values."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        return F.avg_pool2d(x, kernel_size=3, stride=2, padding=1)
