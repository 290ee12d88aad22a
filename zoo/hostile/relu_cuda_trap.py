# SPDX-License-Identifier: MIT
"""Computes ReLU, then runs a kernel that traps, so that the context is lost, to harm whoever has the device next.
Rejected; the device serves the next candidate."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void trap_kernel() { asm volatile("trap;"); }

torch::Tensor relu_forward(torch::Tensor x) {
  auto out = x.clamp_min(0);
  trap_kernel<<<1, 1>>>();
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_trap",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
