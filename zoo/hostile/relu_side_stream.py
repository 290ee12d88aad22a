# SPDX-License-Identifier: MIT
"""Computes on a side stream behind a long delay and never joins it, so the current stream sees zeros. Wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()

    def forward(self, x):
        out = torch.zeros_like(x)
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            torch.cuda._sleep(100_000_000)
            torch.clamp(x, min=0, out=out)
        return out
