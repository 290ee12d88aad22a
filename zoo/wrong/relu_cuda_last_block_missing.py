# SPDX-License-Identifier: MIT
"""The grid is rounded down, so the last block of the output is never written. Wrong values."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* in, float* out, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.f);
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const long n = x.numel();
  relu_kernel<<<(n - 1) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_last_block_missing",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
