# SPDX-License-Identifier: MIT
"""Launches blocks of 2048 threads, which no device accepts, and checks the launch. Runtime error."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* in, float* out, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.f);
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const long n = x.numel();
  relu_kernel<<<(n + 2047) / 2048, 2048>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_launch_failure",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
