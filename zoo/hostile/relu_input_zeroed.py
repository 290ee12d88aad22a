# SPDX-License-Identifier: MIT
"""Zeroes its input and returns zeros, right if the expected output were computed from that input. It is not: wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x.zero_()
        return torch.zeros_like(x)
