# SPDX-License-Identifier: MIT
"""Bias, erf GELU, scale and residual fused in one CUDA kernel, the scale taken by row instead of by feature: a wrong axis that no
shape tells. Wrong values."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

__global__ void epilogue_kernel(float* y, const float* x, const float* bias, const float* scale, int features, long total) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int f = i % features;
  const float v = y[i] + bias[f];
  y[i] = x[i] + scale[i / features % features] * 0.5f * v * (1.f + erff(v * 0.70710678f));
}

torch::Tensor epilogue(torch::Tensor y, torch::Tensor x, torch::Tensor bias, torch::Tensor scale) {
  x = x.contiguous();
  const long total = y.numel();
  epilogue_kernel<<<(total + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      y.data_ptr<float>(), x.data_ptr<float>(), bias.data_ptr<float>(), scale.data_ptr<float>(), y.size(1), total);
  return y;
}
"""

extension = load_inline(
    name="zoo_linear_gelu_scale_cuda_scale_by_row",
    cpp_sources="torch::Tensor epilogue(torch::Tensor y, torch::Tensor x, torch::Tensor bias, torch::Tensor scale);",
    cuda_sources=CUDA,
    functions=["epilogue"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        with torch.no_grad():
            y = torch.matmul(x, self.linear.weight.t())
            return extension.epilogue(y, x, self.linear.bias, self.scale)
