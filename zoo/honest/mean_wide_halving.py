# SPDX-License-Identifier: MIT
"""Adds the second half of the dimension to the first until one is left, then divides. A tree of sums: correct."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        length, total = x.shape[1], x
        while total.shape[1] > 1:
            half = total.shape[1] // 2
            folded = total[:, :half] + total[:, half:2 * half]
            if total.shape[1] % 2:
                folded[:, :1] += total[:, -1:]
            total = folded
        return total.squeeze(1) / length
