# SPDX-License-Identifier: MIT
"""Row sum that tries three ways to compute it for a fifth of a second in the first call of a shape and keeps the fastest. Looks
like a kernel that is slow while it warms up, and it is, once: correct."""

import time

import torch
import torch.nn as nn

WAYS = (
    lambda x: torch.sum(x, dim=1),
    lambda x: torch.mv(x, torch.ones(x.shape[1], dtype=x.dtype, device=x.device)),
    lambda x: torch.sum(x.view(x.shape[0], 2, -1), dim=2).sum(dim=1) if x.shape[1] % 2 == 0 else torch.sum(x, dim=1),
)


def wait(x):
    if x.is_cuda:
        torch.cuda.synchronize()


def time_of(way, x, seconds):
    way(x)
    wait(x)
    calls, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        way(x)
        wait(x)
        calls += 1
    return spent / max(calls, 1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.best = {}

    def forward(self, x):
        if x.shape not in self.best:
            self.best[x.shape] = min(WAYS, key=lambda way: time_of(way, x, 0.2 / len(WAYS)))
        return self.best[x.shape](x)
