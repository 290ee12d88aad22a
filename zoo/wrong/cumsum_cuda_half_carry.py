# SPDX-License-Identifier: MIT
"""A blocked scan that keeps the sum of the chunks before in float16, which has 11 bits. Wrong values."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define THREADS 128

__global__ void cumsum_kernel(const float* in, float* out, int cols) {
  __shared__ float sums[2][THREADS];
  const float* row = in + (long)blockIdx.x * cols;
  float* dst = out + (long)blockIdx.x * cols;
  __half carry = __float2half(0.f);
  for (int base = 0; base < cols; base += THREADS) {
    const int c = base + threadIdx.x;
    int from = 0;
    sums[0][threadIdx.x] = c < cols ? row[c] : 0.f;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance <<= 1) {
      float sum = sums[from][threadIdx.x];
      if (threadIdx.x >= distance) sum += sums[from][threadIdx.x - distance];
      from = 1 - from;
      sums[from][threadIdx.x] = sum;
      __syncthreads();
    }
    if (c < cols) dst[c] = __half2float(carry) + sums[from][threadIdx.x];
    carry = __float2half(__half2float(carry) + sums[from][THREADS - 1]);
    __syncthreads();
  }
}

torch::Tensor cumsum_forward(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  cumsum_kernel<<<in.size(0), THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), in.size(1));
  return out;
}
"""

extension = load_inline(
    name="zoo_cumsum_cuda_half_carry",
    cpp_sources="torch::Tensor cumsum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["cumsum_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.cumsum_forward(x)
