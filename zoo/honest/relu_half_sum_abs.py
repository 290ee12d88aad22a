# SPDX-License-Identifier: MIT
"""ReLU as (x + |x|) / 2, exact in binary floating point short of overflow, so correct."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x + x.abs()) * 0.5
