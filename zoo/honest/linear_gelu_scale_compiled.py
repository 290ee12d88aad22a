# SPDX-License-Identifier: MIT
"""The same module under torch.compile. Inductor writes and compiles its kernels at the first call, in the candidate's own process, and
guards on what it saw: other parameters and other inputs must not be taken for those of the first call. Correct."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))
        self.compiled = torch.compile(self.compute, dynamic=False)

    def compute(self, x):
        return x + self.scale * F.gelu(self.linear(x))

    def forward(self, x):
        return self.compiled(x)
