# SPDX-License-Identifier: MIT
"""Fused chain with random numbers in training: log_softmax(dropout(linear(x))) over the features."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 4096
features = 2048
dropped = 0.2

SIZES = {
    "cpu": {"batch": 128, "features": 256},
    "gpu": {"batch": 4096, "features": 2048},
}


class Model(nn.Module):
    def __init__(self, features, dropped):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.dropout = nn.Dropout(dropped)

    def forward(self, x):
        return F.log_softmax(self.dropout(self.linear(x)), dim=1)


def get_inputs():
    return [torch.rand(batch, features)]


def get_init_inputs():
    return [features, dropped]
