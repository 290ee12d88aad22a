# SPDX-License-Identifier: MIT
"""The whole chain in one Triton kernel: each product as three TF32 products, about as exact as float32, then bias, erf GELU,
scale and residual. Correct."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def chain_kernel(x_ptr, weight_ptr, bias_ptr, scale_ptr, out_ptr, count, features,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for base in range(0, features, BLOCK_K):
        depth = base + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + rows[:, None] * features + depth[None, :],
                    mask=(rows[:, None] < count) & (depth[None, :] < features), other=0.0)
        w = tl.load(weight_ptr + cols[None, :] * features + depth[:, None],
                    mask=(cols[None, :] < features) & (depth[:, None] < features), other=0.0)
        acc = tl.dot(x, w, acc, input_precision="tf32x3")
    inside = (rows[:, None] < count) & (cols[None, :] < features)
    v = acc + tl.load(bias_ptr + cols, mask=cols < features, other=0.0)[None, :]
    gelu = 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))
    scale = tl.load(scale_ptr + cols, mask=cols < features, other=0.0)[None, :]
    places = rows[:, None] * features + cols[None, :]
    residual = tl.load(x_ptr + places, mask=inside, other=0.0)
    tl.store(out_ptr + places, residual + scale * gelu, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        count, features = x.shape
        grid = (triton.cdiv(count, 64), triton.cdiv(features, 64))
        chain_kernel[grid](x, self.linear.weight, self.linear.bias, self.scale, out, count, features,
                           BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
        return out
