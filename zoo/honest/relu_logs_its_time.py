# SPDX-License-Identifier: MIT
"""Measures its own calls and keeps the times, as somebody who tunes a kernel does. Right."""

import time

import torch
import torch.nn as nn

times_s = []


class ModelNew(nn.Module):
    def forward(self, x):
        start = time.perf_counter()
        out = torch.relu(x)
        times_s.append(time.perf_counter() - start)
        return out
