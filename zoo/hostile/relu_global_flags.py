# SPDX-License-Identifier: MIT
"""Changes PyTorch's settings at import (threads, default type, deterministic algorithms, gradients, denormals), and
computes ReLU honestly. The reference runs in another process: right, and nothing won."""

import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.set_flush_denormal(True)
torch.set_grad_enabled(False)
torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
