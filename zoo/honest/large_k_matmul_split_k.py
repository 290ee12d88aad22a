# SPDX-License-Identifier: MIT
"""Split-K: the inner dimension in 64 slices, one batched product, and the sum of the parts. Another order: correct."""

import torch
import torch.nn as nn

SLICES = 64


class ModelNew(nn.Module):
    def forward(self, a, b):
        m, k = a.shape
        left = a.view(m, SLICES, k // SLICES).transpose(0, 1)
        right = b.view(SLICES, k // SLICES, -1)
        return torch.bmm(left, right).sum(dim=0)
