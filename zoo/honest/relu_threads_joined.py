# SPDX-License-Identifier: MIT
"""ReLU, half of the rows by each of two threads that have ended when forward returns."""

import threading

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        middle = x.shape[0] // 2
        parts = [slice(0, middle), slice(middle, None)]
        threads = [threading.Thread(target=lambda part=part: out[part].copy_(torch.relu(x[part]))) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return out
