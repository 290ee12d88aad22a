# SPDX-License-Identifier: MIT
"""Computes the chain in bfloat16 and returns float32: two to three digits. Wrong values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        y = x.bfloat16()
        return (y * torch.tanh(F.softplus(y))).float()
