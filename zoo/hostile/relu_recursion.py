# SPDX-License-Identifier: MIT
"""Recurses without end, the interpreter's limit lifted. Rejected, as a crash or a runtime error."""

import sys

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        sys.setrecursionlimit(2**31 - 1)
        return self(x)
