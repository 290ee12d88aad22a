# SPDX-License-Identifier: MIT
"""Compiles an extension and calls it on one element, then lets PyTorch do the work. Right; what ran is told by the
trace and the labels, not by the verdict."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>

torch::Tensor relu_forward(torch::Tensor x) { return x.clamp_min(0); }
"""

extension = load_inline(name="zoo_relu_cpp_decoy", cpp_sources=CPP, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        extension.relu_forward(x.flatten()[:1].cpu())
        return torch.relu(x)
