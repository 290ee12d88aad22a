# SPDX-License-Identifier: MIT
"""Sum of every row. Rows have zero mean, so one missing element shows; they are short enough for a sequential fp32 sum."""

import torch
import torch.nn as nn

rows = 32768
cols = 2048

SIZES = {
    "cpu": {"rows": 512, "cols": 384},
    "gpu": {"rows": 32768, "cols": 2048},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.sum(x, dim=1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
