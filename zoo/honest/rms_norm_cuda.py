# SPDX-License-Identifier: MIT
"""RMS norm in CUDA: a block per row, the sum of squares reduced in shared memory. Correct."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define THREADS 256

__global__ void rms_norm_kernel(const float* in, const float* weight, float* out, int cols, float eps) {
  __shared__ float sums[THREADS];
  const float* row = in + (long)blockIdx.x * cols;
  float* dst = out + (long)blockIdx.x * cols;
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += row[c] * row[c];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  const float inverse = rsqrtf(sums[0] / cols + eps);
  for (int c = threadIdx.x; c < cols; c += THREADS) dst[c] = row[c] * inverse * weight[c];
}

torch::Tensor rms_norm_forward(torch::Tensor x, torch::Tensor weight, double eps) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int cols = in.size(-1);
  rms_norm_kernel<<<in.numel() / cols, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), weight.data_ptr<float>(), out.data_ptr<float>(), cols, (float)eps);
  return out;
}
"""

extension = load_inline(
    name="zoo_rms_norm_cuda",
    cpp_sources="torch::Tensor rms_norm_forward(torch::Tensor x, torch::Tensor weight, double eps);",
    cuda_sources=CUDA,
    functions=["rms_norm_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = 1e-6

    def forward(self, x):
        return extension.rms_norm_forward(x, self.weight, self.eps)
