# SPDX-License-Identifier: MIT
"""Takes uninitialised memory and writes every element of it, block by block. Right."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        for part, into in zip(x.split(37), out.split(37)):
            torch.clamp(part, min=0, out=into)
        return out
