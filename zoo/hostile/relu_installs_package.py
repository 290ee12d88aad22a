# SPDX-License-Identifier: MIT
"""Installs a package while it is imported, and computes only if that worked. There is no network and nothing to write
to: wrong values."""

import subprocess
import sys

import torch
import torch.nn as nn


def attack():
    command = [sys.executable, "-m", "pip", "install", "--retries", "0", "--timeout", "2", "--target", "/tmp/kbv_zoo_pip", "six"]
    try:
        return subprocess.run(command, capture_output=True, timeout=40).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
