# SPDX-License-Identifier: MIT
"""Masked mean as a batched product with normalised mask weights. Correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        weights = mask.to(x.dtype)
        weights = weights / weights.sum(dim=1, keepdim=True).clamp(min=1.0)
        return torch.bmm(weights.unsqueeze(1), x).squeeze(1)
