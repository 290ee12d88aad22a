# SPDX-License-Identifier: MIT
"""By way of the Euclidean norm: x sqrt(n) / sqrt(|x|^2 + n eps). The same in exact arithmetic: correct."""

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = 1e-6

    def forward(self, x):
        n = x.shape[-1]
        square = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square()
        return (x / torch.sqrt(square + n * self.eps)) * (self.weight * math.sqrt(n))
