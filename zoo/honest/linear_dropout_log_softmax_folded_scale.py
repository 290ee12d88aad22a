# SPDX-License-Identifier: MIT
"""The scale of kept elements is folded into weight and bias, and masks are drawn in another order. Correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features, dropped):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.kept = 1 - dropped

    def forward(self, x):
        if not self.training:
            return F.log_softmax(self.linear(x), dim=1)
        x = F.linear(x, self.linear.weight / self.kept, self.linear.bias / self.kept)
        x = x * torch.empty(x.shape[::-1], device=x.device).bernoulli_(self.kept).t()
        return x - torch.logsumexp(x, 1, keepdim=True)
