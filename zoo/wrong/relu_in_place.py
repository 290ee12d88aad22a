# SPDX-License-Identifier: MIT
"""Clips the input in place and returns it: right values, but the caller's input is gone. Must be rejected."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp_(min=0.0)
