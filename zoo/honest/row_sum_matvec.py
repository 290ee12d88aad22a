# SPDX-License-Identifier: MIT
"""Row sum as a product with a vector of ones. BLAS picks the summation order; correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.mv(x, torch.ones(x.shape[1], dtype=x.dtype, device=x.device))
