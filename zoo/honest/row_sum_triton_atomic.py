# SPDX-License-Identifier: MIT
"""Row sum in Triton: programs take parts of a row and add them to zeros with atomics, so the order differs from call to call.
Correct."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + offsets, mask=offsets < cols, other=0.0)
    tl.atomic_add(out_ptr + row, tl.sum(x, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, cols = x.shape
        out = torch.zeros((rows,), dtype=x.dtype, device=x.device)
        row_sum_kernel[(rows, triton.cdiv(cols, 256))](x, out, cols, BLOCK=256)
        return out
