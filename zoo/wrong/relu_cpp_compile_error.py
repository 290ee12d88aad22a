# SPDX-License-Identifier: MIT
"""A C++ extension that uses an undeclared variable. Build error."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>

torch::Tensor relu_forward(torch::Tensor x) {
  return input.clamp_min(0);
}
"""

extension = load_inline(name="zoo_relu_cpp_compile_error", cpp_sources=CPP, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
