# SPDX-License-Identifier: MIT
"""Allocates GPU memory without bound. Out of memory."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        hoard = []
        while True:
            hoard.append(torch.empty(1 << 28, dtype=torch.float32, device=x.device))
