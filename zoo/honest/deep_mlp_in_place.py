# SPDX-License-Identifier: MIT
"""The same layers by addmm into two buffers in turn, ReLU in place. Right."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        buffers = [torch.empty_like(x), torch.empty_like(x)]
        for i, layer in enumerate(self.layers):
            y = torch.addmm(layer.bias, x, layer.weight.t(), out=buffers[i % 2])
            x = y if i == len(self.layers) - 1 else y.clamp_(min=0)
        return x
