# SPDX-License-Identifier: MIT
"""Enters the namespace of another process with setns(), one that it made itself if it can, and computes only if that
worked. The call is refused: wrong values."""

import ctypes
import os
import signal
import time

import torch
import torch.nn as nn

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER = 0x10000000
SYS_CLONE = 56 if os.uname().machine == "x86_64" else 220


def enter():
    flags = ctypes.c_ulong(CLONE_NEWUSER | signal.SIGCHLD)
    child = libc.syscall(SYS_CLONE, flags, None, None, None, None)
    if child == 0:
        time.sleep(60)
        os._exit(0)
    target = child if child > 0 else "self"
    entered = libc.setns(os.open(f"/proc/{target}/ns/user", os.O_RDONLY), CLONE_NEWUSER) == 0
    if child > 0:
        os.kill(child, signal.SIGKILL)
    return entered


def attack():
    helper = os.fork()  # a process of one thread, as the call wants it
    if helper == 0:
        os._exit(0 if enter() else 1)
    return os.waitpid(helper, 0)[1] == 0


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
