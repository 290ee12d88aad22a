# SPDX-License-Identifier: MIT
"""Mounts a file system over what it may not write to; computes only if it can. Wrong values."""

import ctypes

import torch
import torch.nn as nn


def attack():
    return ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
