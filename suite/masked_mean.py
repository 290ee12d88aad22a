# SPDX-License-Identifier: MIT
"""Mean over the sequence of the positions that a bool mask keeps, as in pooling of sentence embeddings."""

import torch
import torch.nn as nn

batch = 64
seq_len = 2048
features = 512

SIZES = {
    "cpu": {"batch": 8, "seq_len": 128, "features": 256},
    "gpu": {"batch": 64, "seq_len": 2048, "features": 512},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        kept = mask.sum(dim=1, keepdim=True).clamp(min=1)
        return x.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1) / kept


def get_inputs():
    return [torch.randn(batch, seq_len, features), torch.rand(batch, seq_len) < 0.75]


def get_init_inputs():
    return []
