# SPDX-License-Identifier: MIT
"""Leaves the scale out as if the norm cancelled it. Bit for bit right while it is one; the sign of a scale stays. Wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.scale = nn.Parameter(torch.ones(out_features))
        self.norm = nn.BatchNorm1d(out_features)

    def forward(self, x):
        return self.norm(self.linear(x))
