# SPDX-License-Identifier: MIT
"""Asks for a userfaultfd, with which it could hold the kernel at a page fault in the middle of a copy, and computes only if
it got one. The call is refused: wrong values."""

import ctypes
import os

import torch
import torch.nn as nn

libc = ctypes.CDLL(None, use_errno=True)
SYS_USERFAULTFD = 323 if os.uname().machine == "x86_64" else 282
USER_MODE_ONLY = 1


def attack():
    return libc.syscall(SYS_USERFAULTFD, USER_MODE_ONLY) >= 0


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
