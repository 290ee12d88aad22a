# SPDX-License-Identifier: MIT
"""Imports a module that does not exist. Import error."""

import torch.nn as nn
import torch_fused_activations


class ModelNew(nn.Module):
    def forward(self, x):
        return torch_fused_activations.relu(x)
