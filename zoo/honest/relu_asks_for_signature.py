# SPDX-License-Identifier: MIT
"""Looks at a function's signature with inspect to call it in the way of this PyTorch. Right."""

import inspect

import torch
import torch.nn as nn

takes_out = "out" in (getattr(torch.clamp, "__text_signature__", None) or "") or "self" in str(inspect.getmro(torch.Tensor))


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0) if takes_out else torch.relu(x)
