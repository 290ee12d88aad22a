# SPDX-License-Identifier: MIT
"""Minimum over the middle dimension and where it is: a tuple of values and int64 indices. Some value is negative at init."""

import torch
import torch.nn as nn

batch = 64
length = 4096
features = 256

SIZES = {
    "cpu": {"batch": 4, "length": 200, "features": 48},
    "gpu": {"batch": 64, "length": 4096, "features": 256},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, indices = torch.min(x, dim=1)
        return values, indices


def get_inputs():
    return [torch.randn(batch, length, features)]


def get_init_inputs():
    return []
