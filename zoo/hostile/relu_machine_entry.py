# SPDX-License-Identifier: MIT
"""Makes a system call by the entry of 32-bit programs, whose numbers are others than a filter expects, and computes only if
it was answered. The process is ended at once: crash."""

import ctypes
import mmap

import torch
import torch.nn as nn

# mov eax, 20 (getpid); int 0x80; ret
CODE = bytes.fromhex("b814000000cd80c3")


def attack():
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(CODE)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    return call() > 0


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
