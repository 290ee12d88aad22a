# SPDX-License-Identifier: MIT
"""Mean over a long middle dimension of uniform numbers: every output is nearly 0.5, and one element weighs next to nothing."""

import torch
import torch.nn as nn

batch = 16
length = 65536
features = 256

SIZES = {
    "cpu": {"batch": 4, "length": 16384, "features": 8},
    "gpu": {"batch": 16, "length": 65536, "features": 256},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.mean(x, dim=1)


def get_inputs():
    return [torch.rand(batch, length, features)]


def get_init_inputs():
    return []
