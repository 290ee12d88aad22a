# SPDX-License-Identifier: MIT
"""Collects garbage in its constructor, as code that is careful of memory does. Right."""

import gc

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        gc.collect()

    def forward(self, x):
        return torch.clamp(x, min=0)
