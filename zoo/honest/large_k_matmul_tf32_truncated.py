# SPDX-License-Identifier: MIT
"""Cuts the low 13 bits of both operands, as tensor cores do that are given plain float32. TF32 is allowed for products:
correct."""

import torch
import torch.nn as nn


def to_tf32(x):
    cut = (x.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)
    return torch.where(torch.isfinite(x), cut, x)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(to_tf32(a), to_tf32(b))
