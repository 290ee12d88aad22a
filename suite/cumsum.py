# SPDX-License-Identifier: MIT
"""Inclusive prefix sum of every row."""

import torch
import torch.nn as nn

rows = 32768
cols = 2048

SIZES = {
    "cpu": {"rows": 256, "cols": 1024},
    "gpu": {"rows": 32768, "cols": 2048},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.cumsum(x, dim=1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
