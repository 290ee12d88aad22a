# SPDX-License-Identifier: MIT
"""Drops three in ten instead of two. Wrong distribution."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features, dropped):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.dropped = dropped

    def forward(self, x):
        x = self.linear(x)
        if self.training:
            x = x * (torch.rand_like(x) >= 0.3) / 0.7
        return F.log_softmax(x, dim=1)
