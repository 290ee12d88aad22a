# SPDX-License-Identifier: MIT
"""ReLU in CUDA: a float4 kernel when the size is a multiple of 4, a scalar kernel otherwise. An honest specialisation."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void relu_vec4_kernel(const float4* in, float4* out, long n4) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 v = in[i];
    out[i] = make_float4(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f), fmaxf(v.z, 0.f), fmaxf(v.w, 0.f));
  }
}

__global__ void relu_scalar_kernel(const float* in, float* out, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.f);
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const float* src = in.data_ptr<float>();
  float* dst = out.data_ptr<float>();
  const long n = in.numel();
  const int threads = 256;
  if (n % 4 == 0 && reinterpret_cast<uintptr_t>(src) % 16 == 0) {
    const long n4 = n / 4;
    relu_vec4_kernel<<<(n4 + threads - 1) / threads, threads>>>(
        reinterpret_cast<const float4*>(src), reinterpret_cast<float4*>(dst), n4);
  } else {
    relu_scalar_kernel<<<(n + threads - 1) / threads, threads>>>(src, dst, n);
  }
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_shape_specialised",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
