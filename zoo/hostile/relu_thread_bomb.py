# SPDX-License-Identifier: MIT
"""Starts up to 100,000 waiting threads, then returns zeros. Rejected: at the process limit, by time or by its values."""

import threading

import torch
import torch.nn as nn

never = threading.Event()


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(100_000):
            threading.Thread(target=never.wait, daemon=True).start()
        return torch.zeros_like(x)
