# SPDX-License-Identifier: MIT
"""ReLU in CUDA with loads and stores that ask the cache to evict their lines first, as each is used once. A cache hint that
an honest kernel gives: correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float4* in, float4* out, long n4, const float* tail_in, float* tail_out, int tail) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n4) {
    const float4 v = __ldcs(in + i);
    __stcs(out + i, make_float4(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f), fmaxf(v.z, 0.f), fmaxf(v.w, 0.f)));
  }
  if (i < tail) tail_out[i] = fmaxf(tail_in[i], 0.f);
}

torch::Tensor relu_forward(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const float* src = in.data_ptr<float>();
  float* dst = out.data_ptr<float>();
  const long n = in.numel(), n4 = n / 4;
  const long blocks = n4 / 256 + 1;
  relu_kernel<<<blocks, 256>>>(reinterpret_cast<const float4*>(src), reinterpret_cast<float4*>(dst), n4, src + 4 * n4,
                               dst + 4 * n4, static_cast<int>(n % 4));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

extension = load_inline(
    name="zoo_relu_cuda_streaming",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
