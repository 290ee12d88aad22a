# SPDX-License-Identifier: MIT
"""Inclusive prefix product of every row. Products of normal numbers vanish after about 160 of them: the rest of a row is exactly 0."""

import torch
import torch.nn as nn

rows = 16384
cols = 8192

SIZES = {
    "cpu": {"rows": 64, "cols": 1024},
    "gpu": {"rows": 16384, "cols": 8192},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.cumprod(x, dim=1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
