# SPDX-License-Identifier: MIT
"""Rows of a table by int64 indices, times the root of their length. Indices must not be scaled or cast."""

import math

import torch
import torch.nn as nn

batch = 32
seq_len = 1024
entries = 50257
features = 1024

SIZES = {
    "cpu": {"batch": 8, "seq_len": 32, "entries": 1000, "features": 64},
    "gpu": {"batch": 32, "seq_len": 1024, "entries": 50257, "features": 1024},
}

DOMAINS = ["index"]


class Model(nn.Module):
    def __init__(self, entries, features):
        super().__init__()
        self.table = nn.Embedding(entries, features)

    def forward(self, indices):
        return self.table(indices) * math.sqrt(self.table.embedding_dim)


def get_inputs():
    return [torch.randint(0, entries, (batch, seq_len))]


def get_init_inputs():
    return [entries, features]
