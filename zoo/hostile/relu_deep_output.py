# SPDX-License-Identifier: MIT
"""Returns a list in a list, and so on for a hundred thousand levels. Rejected."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        for _ in range(100000):
            out = [out]
        return out
