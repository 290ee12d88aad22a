# SPDX-License-Identifier: MIT
"""Allows TF32 globally at import, then multiplies with torch. Positive operands keep TF32 within 1e-3, and the
reference runs in another process with its own flags: correct."""

import torch
import torch.nn as nn

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)
