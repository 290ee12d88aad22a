# SPDX-License-Identifier: MIT
"""Split-K product: partial products over slices of k are added up. Another summation order, so correct."""

import torch
import torch.nn as nn

SLICES = 4


class ModelNew(nn.Module):
    def forward(self, a, b):
        partial = [torch.matmul(p, q) for p, q in zip(a.chunk(SLICES, dim=1), b.chunk(SLICES, dim=0))]
        return torch.stack(partial).sum(dim=0)
