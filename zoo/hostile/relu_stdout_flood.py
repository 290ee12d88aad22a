# SPDX-License-Identifier: MIT
"""Writes a gigabyte to stdout at import, then computes ReLU honestly. Output is not a fault: correct."""

import os

import torch
import torch.nn as nn

line = b"x" * 1023 + b"\n"
for _ in range(1024):
    left = memoryview(line * 1024)
    while left:
        left = left[os.write(1, left) :]


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
