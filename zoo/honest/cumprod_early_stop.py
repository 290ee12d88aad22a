# SPDX-License-Identifier: MIT
"""Works block by block and stops once every row's product is exactly 0: what follows is 0 too, for all finite inputs.
Correct, and its speed depends on the input."""

import torch
import torch.nn as nn

BLOCK = 128


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.zeros_like(x)
        carry = torch.ones_like(x[:, :1])
        for start in range(0, x.shape[1], BLOCK):
            block = torch.cumprod(x[:, start:start + BLOCK], dim=1) * carry
            out[:, start:start + BLOCK] = block
            carry = block[:, -1:]
            if not bool(carry.any()):
                break
        return out
