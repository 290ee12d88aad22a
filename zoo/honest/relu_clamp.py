# SPDX-License-Identifier: MIT
"""ReLU as clamp(min=0). The same function, so correct."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp(min=0)
