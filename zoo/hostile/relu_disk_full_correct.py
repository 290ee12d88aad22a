# SPDX-License-Identifier: MIT
"""Fills /tmp (8 GiB at most), keeps it full, and computes ReLU honestly. The judge must not need that space: correct."""

import tempfile

import torch
import torch.nn as nn


def fill_disk(limit=8 << 30):
    file = tempfile.TemporaryFile(dir="/tmp", buffering=0)
    block = bytes(1 << 20)
    try:
        for _ in range(limit // len(block)):
            file.write(block)
    except OSError:
        pass
    return file


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ballast = fill_disk()

    def forward(self, x):
        return torch.relu(x)
