# SPDX-License-Identifier: MIT
"""The grid is rounded down, so the last columns of the result are never written. Wrong values."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, n, k, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inner = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for base in range(0, k, BLOCK_K):
        depth = base + inner
        a = tl.load(a_ptr + rows[:, None] * k + depth[None, :])
        b = tl.load(b_ptr + depth[:, None] * n + cols[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc)


class ModelNew(nn.Module):
    def forward(self, a, b):
        m, k = a.shape
        n = b.shape[1]
        c = torch.zeros((m, n), dtype=a.dtype, device=a.device)
        matmul_kernel[(m // 64, n // 64)](a, b, c, n, k, BLOCK=64, BLOCK_K=32)
        return c
