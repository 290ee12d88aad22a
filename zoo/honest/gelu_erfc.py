# SPDX-License-Identifier: MIT
"""GELU as 0.5 x erfc(-x / sqrt(2)), which does not cancel for negative x: nearer to the truth than the reference.
Correct."""

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return 0.5 * x * torch.erfc(x * -math.sqrt(0.5))
