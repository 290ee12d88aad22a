# SPDX-License-Identifier: MIT
"""Returns one loss per row where the mean is asked for. Wrong shape."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels, reduction="none")
