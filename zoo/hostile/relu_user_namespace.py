# SPDX-License-Identifier: MIT
"""Makes a user namespace, in which it would be root, with unshare() in a child that has one thread, and computes only if
that worked. The call is refused: wrong values."""

import ctypes
import os

import torch
import torch.nn as nn

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER = 0x10000000


def attack():
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.unshare(CLONE_NEWUSER) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
