# SPDX-License-Identifier: MIT
"""Matrix product with a long inner dimension. All is positive and sums are large: one of thousands of terms is within the tolerance."""

import torch
import torch.nn as nn

m = 512
k = 65536
n = 384

SIZES = {
    "cpu": {"m": 64, "k": 4096, "n": 48},
    "gpu": {"m": 512, "k": 65536, "n": 384},
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
