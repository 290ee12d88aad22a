# SPDX-License-Identifier: MIT
"""Prints a line while it is imported and registers one for the end. Right."""

import atexit

import torch
import torch.nn as nn

print("relu: ready")
atexit.register(lambda: print("relu: done"))


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
