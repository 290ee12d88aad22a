# SPDX-License-Identifier: MIT
"""Mean cross-entropy of logits against int64 labels, a scalar. The labels must not be scaled or cast. As in a partly
trained classifier, each label's logit is raised, so reading another label's logit shows in the mean."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 1024
classes = 65536

SIZES = {
    "cpu": {"batch": 256, "classes": 1024},
    "gpu": {"batch": 1024, "classes": 65536},
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels)


def get_inputs():
    labels = torch.randint(0, classes, (batch,))
    logits = torch.randn(batch, classes)
    logits.scatter_add_(1, labels.unsqueeze(1), torch.full((batch, 1), 4.0))
    return [logits, labels]


def get_init_inputs():
    return []
