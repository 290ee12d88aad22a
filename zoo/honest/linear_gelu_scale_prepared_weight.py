# SPDX-License-Identifier: MIT
"""The constructor stores the transposed weight once; forward uses that copy and addmm. Correct for the weights as built."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))
        transposed = self.linear.weight.detach().t().contiguous()
        self.register_buffer("weight_t", transposed, persistent=False)

    def forward(self, x):
        return x + self.scale * F.gelu(torch.addmm(self.linear.bias, x, self.weight_t))
