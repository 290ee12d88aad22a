# SPDX-License-Identifier: MIT
"""Asks for more shared memory than a block may have, so that the kernel never runs, and drops the error. Whatever was
in memory is wrong."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* out, long count) {
  extern __shared__ float tile[];
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  tile[threadIdx.x] = x[i];
  out[i] = fmaxf(tile[threadIdx.x], 0.f);
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const long count = x.numel();
  relu_kernel<<<(count + 255) / 256, 256, 1 << 20>>>(x.data_ptr<float>(), out.data_ptr<float>(), count);
  (void)cudaGetLastError();
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_too_much_shared",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
