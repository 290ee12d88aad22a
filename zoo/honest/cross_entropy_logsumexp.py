# SPDX-License-Identifier: MIT
"""Cross-entropy as logsumexp minus the label's logit, averaged. Correct, and a 0-dimensional output."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        picked = logits.gather(1, labels.unsqueeze(1)).squeeze(1)
        return (torch.logsumexp(logits, dim=1) - picked).mean()
