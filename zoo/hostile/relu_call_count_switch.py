# SPDX-License-Identifier: MIT
"""Right for 12 calls, enough to outlive an untimed check, then zeros. Timed calls are checked too: wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return torch.relu(x) if self.calls <= 12 else torch.zeros_like(x)
