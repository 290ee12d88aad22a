# SPDX-License-Identifier: MIT
"""Converts to channels_last and answers in that layout: the same values at other strides. Correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.norm(x.contiguous(memory_format=torch.channels_last))
