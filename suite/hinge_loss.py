# SPDX-License-Identifier: MIT
"""Mean hinge loss of a square of predictions in [0, 1) against one target of +1 or -1 for each column, a scalar. A target is only
ever +1 or -1."""

import torch
import torch.nn as nn

size = 16384

SIZES = {
    "cpu": {"size": 512},
    "gpu": {"size": 16384},
}

DOMAINS = ["real", "sign"]


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return torch.mean(torch.clamp(1.0 - predictions * targets, min=0.0))


def get_inputs():
    return [torch.rand(size, size), 2.0 * torch.randint(0, 2, (size,)) - 1.0]


def get_init_inputs():
    return []
