# SPDX-License-Identifier: MIT
"""In two stages: the block of a row that holds its maximum, then the place of the maximum in that block. Correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCK = 250


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        padded = F.pad(x, (0, -cols % BLOCK), value=-float("inf")).view(rows, -1, BLOCK)
        block = padded.amax(dim=2).argmax(dim=1)
        return block * BLOCK + padded[torch.arange(rows, device=x.device), block].argmax(dim=1)
