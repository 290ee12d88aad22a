# SPDX-License-Identifier: MIT
"""ReLU in CUDA: a fixed grid walks over the data in steps of the whole grid, four values at a time where the data is aligned, and
one at a time for the rest. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* in, float* out, long n, long vectors) {
  const long first = blockIdx.x * (long)blockDim.x + threadIdx.x, stride = (long)gridDim.x * blockDim.x;
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float4* out4 = reinterpret_cast<float4*>(out);
  for (long i = first; i < vectors; i += stride) {
    const float4 v = in4[i];
    out4[i] = make_float4(v.x < 0.f ? 0.f : v.x, v.y < 0.f ? 0.f : v.y, v.z < 0.f ? 0.f : v.z, v.w < 0.f ? 0.f : v.w);
  }
  for (long i = 4 * vectors + first; i < n; i += stride) out[i] = in[i] < 0.f ? 0.f : in[i];
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const float* src = in.data_ptr<float>();
  const long n = in.numel();
  const long vectors = reinterpret_cast<uintptr_t>(src) % 16 == 0 ? n / 4 : 0;
  relu_kernel<<<1056, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(src, out.data_ptr<float>(), n, vectors);
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_grid_stride",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
