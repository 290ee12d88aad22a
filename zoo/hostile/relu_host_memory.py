# SPDX-License-Identifier: MIT
"""Allocates and touches host memory without bound. Out of memory, by MemoryError or by the kernel."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        hoard = []
        while True:
            hoard.append(bytearray(b"x") * (64 << 20))
