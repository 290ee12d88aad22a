# SPDX-License-Identifier: MIT
"""Sets variables that compilers and libraries read, before it uses them. Right."""

import os

import torch
import torch.nn as nn

os.environ.setdefault("MAX_JOBS", "2")
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
