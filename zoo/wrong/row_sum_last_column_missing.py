# SPDX-License-Identifier: MIT
"""Off by one: the last column is not added. Wrong values."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, :-1].sum(dim=1)
