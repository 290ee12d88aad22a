# SPDX-License-Identifier: MIT
"""Matrix product of two positive matrices: no output is near zero, so every fp32 summation order is within 1e-3."""

import torch
import torch.nn as nn

m = 4096
k = 4096
n = 2000

SIZES = {
    "cpu": {"m": 256, "k": 192, "n": 120},
    "gpu": {"m": 4096, "k": 4096, "n": 2000},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    return [torch.rand(m, k), torch.rand(k, n)]


def get_init_inputs():
    return []
