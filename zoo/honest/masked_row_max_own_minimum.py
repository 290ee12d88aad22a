# SPDX-License-Identifier: MIT
"""Fills masked places with the row's own minimum instead of -inf: no kept element is below it. Correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return torch.where(mask, x, x.amin(dim=1, keepdim=True)).amax(dim=1)
