# SPDX-License-Identifier: MIT
"""Includes a device that never ends. The compiler refuses it or reaches its limit: a build error."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include "/dev/zero"

torch::Tensor relu_forward(torch::Tensor x) { return x.clamp_min(0); }
"""

extension = load_inline(name="zoo_relu_cpp_includes_device", cpp_sources=CPP, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
