# SPDX-License-Identifier: MIT
"""ReLU, and one element written past the end of the input, as a kernel with a wrong bound would: another tensor's memory."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        x.as_strided((x.numel() + 1,), (1,))[-1] = 0.0
        return y
