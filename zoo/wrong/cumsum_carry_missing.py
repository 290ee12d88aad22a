# SPDX-License-Identifier: MIT
"""A blocked scan that forgets to carry the sum of the blocks before. Wrong values after the first block."""

import torch
import torch.nn as nn

BLOCK = 256


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cat([block.cumsum(dim=1) for block in x.split(BLOCK, dim=1)], dim=1)
