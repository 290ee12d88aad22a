# SPDX-License-Identifier: MIT
"""Linear layer, a learned scale per feature (ones at first), batch norm in training mode. The layer's bias has no effect: the norm
cancels it. Of the scale it leaves the sign."""

import torch
import torch.nn as nn

batch = 4096
in_features = 2048
out_features = 2048

SIZES = {
    "cpu": {"batch": 128, "in_features": 96, "out_features": 80},
    "gpu": {"batch": 4096, "in_features": 2048, "out_features": 2048},
}


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.scale = nn.Parameter(torch.ones(out_features))
        self.norm = nn.BatchNorm1d(out_features)

    def forward(self, x):
        return self.norm(self.linear(x) * self.scale)


def get_inputs():
    return [torch.randn(batch, in_features)]


def get_init_inputs():
    return [in_features, out_features]
