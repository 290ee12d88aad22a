# SPDX-License-Identifier: MIT
"""Prefix sum in CUDA: each thread adds four neighbours, warps scan by shuffles, a block carries its total from chunk to chunk
of a row. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define THREADS 128
#define WARPS (THREADS / 32)
#define ITEMS 4

__global__ void cumsum_kernel(const float* in, float* out, int cols) {
  __shared__ float warp_totals[WARPS];
  const float* row = in + (long)blockIdx.x * cols;
  float* dst = out + (long)blockIdx.x * cols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float carry = 0.f;
  for (int base = 0; base < cols; base += THREADS * ITEMS) {
    const int first = base + threadIdx.x * ITEMS;
    float own[ITEMS], sum = 0.f;
    for (int i = 0; i < ITEMS; ++i) {
      if (first + i < cols) sum += row[first + i];
      own[i] = sum;
    }
    float inclusive = sum;
    for (int offset = 1; offset < 32; offset <<= 1) {
      const float lower = __shfl_up_sync(0xffffffff, inclusive, offset);
      if (lane >= offset) inclusive += lower;
    }
    if (lane == 31) warp_totals[warp] = inclusive;
    float before = __shfl_up_sync(0xffffffff, inclusive, 1);
    if (lane == 0) before = 0.f;
    __syncthreads();
    float lower_warps = 0.f, total = 0.f;
    for (int w = 0; w < WARPS; ++w) {
      if (w == warp) lower_warps = total;
      total += warp_totals[w];
    }
    __syncthreads();
    for (int i = 0; i < ITEMS; ++i)
      if (first + i < cols) dst[first + i] = carry + (lower_warps + (before + own[i]));
    carry += total;
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
    name="zoo_cumsum_cuda_warp_scan",
    cpp_sources="torch::Tensor cumsum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["cumsum_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.cumsum_forward(x)
