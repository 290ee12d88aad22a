# SPDX-License-Identifier: MIT
"""Divides each row by its largest element before it squares, as careful libraries do. The same otherwise: correct."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.abs().amax(dim=1, keepdim=True)
        scaled = x / top.clamp(min=1e-30)
        norm = scaled.square().sum(dim=1, keepdim=True).sqrt() * top
        return scaled * (top / norm.clamp(min=1e-12))
