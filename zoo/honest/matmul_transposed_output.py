# SPDX-License-Identifier: MIT
"""The product as the transposed view of (B^T A^T): the output lies in memory column by column."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(b.t(), a.t()).t()
