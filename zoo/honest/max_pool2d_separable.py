# SPDX-License-Identifier: MIT
"""Max pooling as a vertical and then a horizontal pass. The maximum is separable, so correct."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        x = F.max_pool2d(x, kernel_size=(3, 1), stride=(2, 1), padding=(1, 0))
        return F.max_pool2d(x, kernel_size=(1, 3), stride=(1, 2), padding=(0, 1))
