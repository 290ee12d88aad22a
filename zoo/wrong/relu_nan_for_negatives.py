# SPDX-License-Identifier: MIT
"""exp(log(x)), the identity for positive numbers and NaN for negative ones. Not finite under negation, so wrong."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.exp(torch.log(x))
