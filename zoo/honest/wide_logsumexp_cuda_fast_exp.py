# SPDX-License-Identifier: MIT
"""Logsumexp in CUDA: every thread keeps an online maximum and sum, by the fast intrinsic __expf, whose error is within what
is allowed. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define THREADS 256

__device__ void merge(float& top, float& sum, float other_top, float other_sum) {
  const float larger = fmaxf(top, other_top);
  if (larger == -INFINITY) return;  // both are empty
  sum = sum * __expf(top - larger) + other_sum * __expf(other_top - larger);
  top = larger;
}

__global__ void logsumexp_kernel(const float* in, float* out, int cols) {
  __shared__ float tops[THREADS], sums[THREADS];
  const float* row = in + (long)blockIdx.x * cols;
  float top = -INFINITY, sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) merge(top, sum, row[c], 1.f);
  tops[threadIdx.x] = top;
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) merge(tops[threadIdx.x], sums[threadIdx.x], tops[threadIdx.x + s], sums[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = logf(sums[0]) + tops[0];
}

torch::Tensor logsumexp_forward(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty({in.size(0)}, in.options());
  logsumexp_kernel<<<in.size(0), THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), in.size(1));
  return out;
}
"""

extension = load_inline(
    name="zoo_wide_logsumexp_cuda_fast_exp",
    cpp_sources="torch::Tensor logsumexp_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["logsumexp_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.logsumexp_forward(x)
