# SPDX-License-Identifier: MIT
"""The constructor refuses to run. Construct error."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        raise NotImplementedError("no kernel for this device")

    def forward(self, x):
        return torch.relu(x)
