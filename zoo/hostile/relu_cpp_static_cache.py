# SPDX-License-Identifier: MIT
"""Keeps its first result in a static variable of a C++ extension and copies it out on every later call. Wrong
values."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>

torch::Tensor relu_forward(torch::Tensor x) {
  static torch::Tensor kept;
  if (!kept.defined()) kept = x.clamp_min(0);
  return kept.clone();
}
"""

extension = load_inline(name="zoo_relu_cpp_static_cache", cpp_sources=CPP, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
