# SPDX-License-Identifier: MIT
"""Pads every row with zeros to whole blocks. Where all elements are negative it answers with an index behind the end.
Wrong."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.argmax(F.pad(x, (0, -x.shape[1] % 1024)), dim=1)
