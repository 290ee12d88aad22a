# SPDX-License-Identifier: MIT
"""A CUDA kernel that calls a function that does not exist. Build error."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* in, float* out, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = relu_max(in[i], 0.f);
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  relu_kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_compile_error",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
