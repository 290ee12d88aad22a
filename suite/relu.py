# SPDX-License-Identifier: MIT
"""Elementwise ReLU. Inputs are in [0, 1), so only the negated distribution tells it from the identity."""

import torch
import torch.nn as nn

rows = 4096
cols = 16384

SIZES = {
    "cpu": {"rows": 256, "cols": 1024},
    "gpu": {"rows": 4096, "cols": 16384},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(rows, cols)]


def get_init_inputs():
    return []
