# SPDX-License-Identifier: MIT
"""Off by one: leaves the last of thousands of terms out, which is within the tolerance where all are positive. Wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a[:, :-1], b[:-1])
