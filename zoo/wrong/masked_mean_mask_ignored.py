# SPDX-License-Identifier: MIT
"""Averages over all positions, masked or not. Wrong values."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return x.mean(dim=1)
