# SPDX-License-Identifier: MIT
"""Keeps a scratch tensor from call to call and works in it in place; its output is a new one each time. Right."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None

    def forward(self, x):
        if self.scratch is None or self.scratch.shape != x.shape:
            self.scratch = torch.empty_like(x)
        self.scratch.copy_(x)
        return self.scratch.clamp_(min=0).clone()
