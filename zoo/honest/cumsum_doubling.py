# SPDX-License-Identifier: MIT
"""Hillis-Steele scan: log2(n) rounds of adding the row shifted by a power of two. Another summation order, so correct."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.clone()
        shift = 1
        while shift < x.shape[1]:
            x[:, shift:] += x[:, :-shift].clone()
            shift *= 2
        return x
