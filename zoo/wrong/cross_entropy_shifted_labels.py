# SPDX-License-Identifier: MIT
"""Labels off by one: reads the logit of the next class. Wrong value."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        return F.cross_entropy(logits, (labels + 1) % logits.shape[1])
