# SPDX-License-Identifier: MIT
"""Forks up to 100,000 sleeping children, then returns zeros. Rejected: at the process limit, by time or by its values."""

import os
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(100_000):
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
        return torch.zeros_like(x)
