# SPDX-License-Identifier: MIT
"""Pools in bfloat16 and widens the result: each value is rounded to 8 bits. Wrong values."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        return F.max_pool2d(x.bfloat16(), kernel_size=3, stride=2, padding=1).float()
