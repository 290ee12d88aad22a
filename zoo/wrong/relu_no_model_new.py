# SPDX-License-Identifier: MIT
"""Defines Model, as the problem file does, but no ModelNew."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
