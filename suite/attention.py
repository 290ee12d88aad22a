# SPDX-License-Identifier: MIT
"""Attention of several heads, without a mask: softmax of the scaled products of queries and keys, times the values."""

import math

import torch
import torch.nn as nn

batch = 8
heads = 16
length = 1024
features = 64

SIZES = {
    "cpu": {"batch": 2, "heads": 2, "length": 96, "features": 32},
    "gpu": {"batch": 8, "heads": 16, "length": 1024, "features": 64},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
        return torch.matmul(torch.softmax(scores, dim=-1), v)


def get_inputs():
    return [torch.randn(batch, heads, length, features) for _ in range(3)]


def get_init_inputs():
    return []
