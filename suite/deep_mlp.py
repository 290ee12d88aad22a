# SPDX-License-Identifier: MIT
"""Sixteen small linear layers with ReLU between: as constructed each halves what it is given, and the output tells the last ones only."""

import torch
import torch.nn as nn

batch = 4096
width = 512
layers = 16

SIZES = {
    "cpu": {"batch": 256, "width": 64},
    "gpu": {"batch": 4096, "width": 512},
}


class Model(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


def get_inputs():
    return [torch.randn(batch, width)]


def get_init_inputs():
    return [width, layers]
