# SPDX-License-Identifier: MIT
"""Reads address 0 through ctypes. Crash by SIGSEGV."""

import ctypes

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return ctypes.string_at(0)
