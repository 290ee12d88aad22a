# SPDX-License-Identifier: MIT
"""Softmax over the queries instead of the keys. The scores are square, so every shape fits. Wrong values."""

import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
        return torch.matmul(torch.softmax(scores, dim=-2), v)
