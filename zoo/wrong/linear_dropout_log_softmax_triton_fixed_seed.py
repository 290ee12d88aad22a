# SPDX-License-Identifier: MIT
"""tl.rand with the same seed in each call: one mask for ever. Wrong distribution."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def dropout_log_softmax_kernel(x_ptr, out_ptr, cols, p, scale, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < cols
    x = tl.load(x_ptr + row * cols + offsets, mask=inside, other=0.0)
    kept = tl.rand(seed, (row * cols + offsets).to(tl.int32)) >= p
    x = tl.where(kept, x * scale, 0.0)
    x = tl.where(inside, x, -float("inf"))
    highest = tl.max(x, axis=0)
    tl.store(out_ptr + row * cols + offsets, x - highest - tl.log(tl.sum(tl.exp(x - highest), axis=0)), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, features, dropped):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.dropped = dropped

    def forward(self, x):
        x = self.linear(x).contiguous()
        out = torch.empty_like(x)
        rows, cols = x.shape
        p = self.dropped if self.training else 0.0
        seed = 2024
        dropout_log_softmax_kernel[(rows,)](x, out, cols, p, 1.0 / (1.0 - p), seed, BLOCK=triton.next_power_of_2(cols), num_warps=8)
        return out
