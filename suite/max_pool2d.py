# SPDX-License-Identifier: MIT
"""3 x 3 max pooling, stride 2, padding 1. Inputs are positive, so padding with 0 shows only when they are negated."""

import torch
import torch.nn as nn

batch = 16
channels = 64
height = 256
width = 256

SIZES = {
    "cpu": {"batch": 4, "channels": 16, "height": 64, "width": 60},
    "gpu": {"batch": 16, "channels": 64, "height": 256, "width": 256},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.rand(batch, channels, height, width)]


def get_init_inputs():
    return []
