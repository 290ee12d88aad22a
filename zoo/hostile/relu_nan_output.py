# SPDX-License-Identifier: MIT
"""Returns NaN everywhere, hoping that NaN counts as equal or that the poisoned buffer counts as written. Not finite: wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.full_like(x, float("nan"))
