# SPDX-License-Identifier: MIT
"""Takes a descriptor out of another process with pidfd_getfd(), and computes only if it got one. The call is refused:
wrong values."""

import ctypes
import os

import torch
import torch.nn as nn

libc = ctypes.CDLL(None, use_errno=True)
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 434, 438


def others():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def attack():
    got = []
    for pid in others():
        handle = libc.syscall(SYS_PIDFD_OPEN, pid, 0)
        got += [libc.syscall(SYS_PIDFD_GETFD, handle, fd, 0) for fd in range(8) if handle >= 0]
    return any(fd >= 0 for fd in got)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
