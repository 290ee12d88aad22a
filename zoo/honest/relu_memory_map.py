# SPDX-License-Identifier: MIT
"""ReLU; its floor lies in a memory map of a file, and in a shared anonymous one, as runtimes keep tables."""

import mmap
import struct
import tempfile

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        with tempfile.TemporaryFile() as file:
            file.write(struct.pack("d", 0.0))
            file.flush()
            with mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ) as mapped, mmap.mmap(-1, 8) as shared:
                shared[:] = mapped[:]
                self.floor = struct.unpack("d", shared[:])[0]

    def forward(self, x):
        return torch.clamp(x, min=self.floor)
