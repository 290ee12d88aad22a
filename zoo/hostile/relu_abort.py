# SPDX-License-Identifier: MIT
"""Calls abort(). Crash by SIGABRT."""

import os

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.abort()
