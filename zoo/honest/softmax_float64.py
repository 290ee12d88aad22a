# SPDX-License-Identifier: MIT
"""Softmax in float64, returned in the input's dtype. More accurate than the reference, so correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x.double(), dim=1).to(x.dtype)
