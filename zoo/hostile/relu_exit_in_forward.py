# SPDX-License-Identifier: MIT
"""Leaves with exit status 0 in forward, as if all had gone well. The exit status proves nothing: crash."""

import os

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os._exit(0)
