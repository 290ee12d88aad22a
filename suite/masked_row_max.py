# SPDX-License-Identifier: MIT
"""Largest element of every row among those that a bool mask keeps; it keeps some in every row. Rows are long, so the maximum of
normal numbers is never below 0."""

import torch
import torch.nn as nn

rows = 16384
cols = 16000

SIZES = {
    "cpu": {"rows": 128, "cols": 1000},
    "gpu": {"rows": 16384, "cols": 16000},
}

DOMAINS = ["real", "mask"]


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        return torch.amax(x.masked_fill(~mask, -float("inf")), dim=1)


def get_inputs():
    return [torch.randn(rows, cols), torch.rand(rows, cols) < 0.75]


def get_init_inputs():
    return []
