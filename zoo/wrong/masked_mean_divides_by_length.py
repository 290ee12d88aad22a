# SPDX-License-Identifier: MIT
"""Masks the sum but divides by the length of the sequence. Wrong values."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1) / x.shape[1]
