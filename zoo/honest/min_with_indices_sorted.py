# SPDX-License-Identifier: MIT
"""Sorts and takes the first: far more work than needed, and the index of any of several equals. Correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        values, indices = torch.topk(x, 1, dim=1, largest=False)
        return values.squeeze(1), indices.squeeze(1)
