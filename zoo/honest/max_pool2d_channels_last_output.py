# SPDX-License-Identifier: MIT
"""Max pooling as the maximum of nine strided views of the image padded with -inf, returned with channels_last strides. The same
values in another order in memory, so correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = (x.shape[2] - 1) // 2 + 1, (x.shape[3] - 1) // 2 + 1
        padded = F.pad(x, (1, 1, 1, 1), value=float("-inf"))
        best = None
        for dy in range(3):
            for dx in range(3):
                view = padded[:, :, dy:dy + 2 * rows - 1:2, dx:dx + 2 * cols - 1:2]
                best = view if best is None else torch.maximum(best, view)
        return best.contiguous(memory_format=torch.channels_last)
