# SPDX-License-Identifier: MIT
"""Squares and sums in float16. Coarse, but within a tolerance of 1e-3 where outputs are small; larger rows overflow.
Wrong."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        squares = x.half().square().sum(dim=1, keepdim=True).float()
        return x / squares.sqrt().clamp(min=1e-12)
