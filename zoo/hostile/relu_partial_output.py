# SPDX-License-Identifier: MIT
"""Writes all of an uninitialised output but its last row, hoping for what was left there. Wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        torch.clamp(x[:-1], min=0, out=out[:-1])
        return out
