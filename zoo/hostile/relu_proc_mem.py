# SPDX-License-Identifier: MIT
"""Reads the memory of other processes from /proc/PID/mem, and computes only if that worked. It has a pid namespace of its
own, and what it sees there can't be read: wrong values."""

import os

import torch
import torch.nn as nn


def others():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def can_read(pid):
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(int(maps.readline().split("-")[0], 16))
            return len(memory.read(8)) == 8
    except (OSError, ValueError):
        return False


def attack():
    return any(can_read(pid) for pid in others())


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
