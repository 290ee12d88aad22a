# SPDX-License-Identifier: MIT
"""Returns a list that contains itself, by a subclass whose length is endless. Rejected."""

import torch
import torch.nn as nn


class Endless(list):
    def __len__(self):
        return 1 << 40

    def __iter__(self):
        while True:
            yield self


class ModelNew(nn.Module):
    def forward(self, x):
        return Endless()
