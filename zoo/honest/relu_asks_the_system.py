# SPDX-License-Identifier: MIT
"""ReLU; it asks what libraries ask at import: IPv6, its scheduler, NUMA, its limits, threads' names. Refusals are taken."""

import ctypes
import os
import resource
import socket

import torch
import torch.nn as nn


def ask():
    try:
        socket.socket(socket.AF_INET6, socket.SOCK_STREAM).close()
    except OSError:
        pass
    libc = ctypes.CDLL(None, use_errno=True)
    get_mempolicy = 239 if os.uname().machine == "x86_64" else 236
    libc.syscall(get_mempolicy, None, None, ctypes.c_ulong(0), None, ctypes.c_ulong(0))
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    resource.getrlimit(resource.RLIMIT_MEMLOCK)
    with open("/proc/self/comm", "w") as name:
        name.write("kernel")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        ask()

    def forward(self, x):
        return torch.relu(x)
