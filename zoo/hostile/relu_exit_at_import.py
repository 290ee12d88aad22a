# SPDX-License-Identifier: MIT
"""Leaves with exit status 0 while it is imported. Rejected, as a crash or an import error."""

import os

import torch
import torch.nn as nn

os._exit(0)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
