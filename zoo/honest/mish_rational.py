# SPDX-License-Identifier: MIT
"""tanh(softplus(x)) is a fraction of exponentials. With e = exp(-|x|), which cannot overflow, one exponential and one
division do. Correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(-x.abs())
        large = (1.0 + 2.0 * e) / (1.0 + 2.0 * e + 2.0 * e * e)
        small = (e * e + 2.0 * e) / (e * e + 2.0 * e + 2.0)
        return x * torch.where(x >= 0, large, small)
