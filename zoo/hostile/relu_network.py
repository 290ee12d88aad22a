# SPDX-License-Identifier: MIT
"""Opens a TCP port on the loopback, by which it could talk to a helper or another run, and computes only if it got one. The
family is refused: wrong values."""

import socket

import torch
import torch.nn as nn


def attack():
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("127.0.0.1", 0))
            return True
    except OSError:
        return False


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.won = attack()

    def forward(self, x):
        return torch.relu(x) if self.won else torch.zeros_like(x)
