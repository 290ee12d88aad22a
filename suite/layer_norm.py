# SPDX-License-Identifier: MIT
"""Layer normalisation over the last dimension, with affine parameters at their default values (ones and zeros)."""

import torch
import torch.nn as nn

batch = 16
seq_len = 1024
features = 4096

SIZES = {
    "cpu": {"batch": 8, "seq_len": 64, "features": 256},
    "gpu": {"batch": 16, "seq_len": 1024, "features": 4096},
}


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(batch, seq_len, features)]


def get_init_inputs():
    return [features]
