# SPDX-License-Identifier: MIT
"""Launches a kernel that never ends. Timeout."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void endless_kernel(volatile float* out) {
  while (true) out[threadIdx.x] = out[threadIdx.x] + 1.f;
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  endless_kernel<<<1, 32>>>(out.data_ptr<float>());
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_endless_kernel",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
