# SPDX-License-Identifier: MIT
"""Pads every row with zeros to whole blocks instead of -inf: each adds one to the sum, some 3e-4 of the result. Wrong."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.logsumexp(F.pad(x, (0, -x.shape[1] % 1024)), dim=1)
