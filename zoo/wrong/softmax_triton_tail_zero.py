# SPDX-License-Identifier: MIT
"""The tail of the last block is filled with 0 instead of -inf and adds to the sum: 1.4 % to 4 % off. An absolute
tolerance hides it; the relative rms error tells."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < cols
    x = tl.load(x_ptr + row * cols + offsets, mask=inside, other=0.0)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * cols + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, cols = x.shape
        softmax_kernel[(rows,)](x, out, cols, BLOCK=triton.next_power_of_2(cols), num_warps=16)
        return out
