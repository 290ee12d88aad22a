# SPDX-License-Identifier: MIT
"""Elementwise chain x * tanh(softplus(x)). Large values saturate it; exponentials of them overflow."""

import torch
import torch.nn as nn
import torch.nn.functional as F

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
        return x * torch.tanh(F.softplus(x))


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
