# SPDX-License-Identifier: MIT
"""Adds eps to the standard deviation instead of the variance: the same at unit variance, 5 % off at a standard deviation of 0.01.
Wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        deviation = torch.sqrt(centred.square().mean(dim=-1, keepdim=True))
        return centred / (deviation + self.norm.eps) * self.norm.weight + self.norm.bias
