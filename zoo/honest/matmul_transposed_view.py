# SPDX-License-Identifier: MIT
"""A B computed as (B^T A^T)^T and returned as a non-contiguous view. Values and shape are right, strides are free."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(b.t(), a.t()).t()
