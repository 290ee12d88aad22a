# SPDX-License-Identifier: MIT
"""Hillis-Steele scan of products: every round multiplies by the row shifted by a power of two. Another association:
correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        shift = 1
        while shift < x.shape[1]:
            x = torch.cat([x[:, :shift], x[:, shift:] * x[:, :-shift]], dim=1)
            shift *= 2
        return x
