# SPDX-License-Identifier: MIT
"""Row sum by folding the row in half until one column is left: a tree instead of the usual order, so correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        while x.shape[1] > 1:
            half = (x.shape[1] + 1) // 2
            head, tail = x[:, :half], x[:, half:]
            x = torch.cat([head[:, : tail.shape[1]] + tail, head[:, tail.shape[1] :]], dim=1)
        return x[:, 0]
