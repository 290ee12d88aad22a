# SPDX-License-Identifier: MIT
"""A barrier is missing between the thread that computes mean and variance and the others that read them from shared memory. They
read what was there before. Wrong values."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define THREADS 256

__global__ void layer_norm_kernel(const float* in, const float* gamma, const float* beta, float* out, int cols, float eps) {
  __shared__ float values[THREADS];
  __shared__ float row_mean, row_scale;
  const float* row = in + (long)blockIdx.x * cols;
  float* dst = out + (long)blockIdx.x * cols;

  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += row[c];
  values[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0.f;
    for (int t = 0; t < THREADS; ++t) all += values[t];
    row_mean = all / cols;
  }
  __syncthreads();
  float square = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) square += (row[c] - row_mean) * (row[c] - row_mean);
  values[threadIdx.x] = square;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0.f;
    for (int t = 0; t < THREADS; ++t) all += values[t];
    row_scale = rsqrtf(all / cols + eps);
  }
  for (int c = threadIdx.x; c < cols; c += THREADS) dst[c] = (row[c] - row_mean) * row_scale * gamma[c] + beta[c];
}

torch::Tensor layer_norm_forward(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int cols = in.size(-1);
  layer_norm_kernel<<<in.numel() / cols, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), out.data_ptr<float>(), cols, (float)eps);
  return out;
}
"""

extension = load_inline(
    name="zoo_layer_norm_cuda_missing_sync",
    cpp_sources="torch::Tensor layer_norm_forward(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps);",
    cuda_sources=CUDA,
    functions=["layer_norm_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return extension.layer_norm_forward(x, self.norm.weight, self.norm.bias, self.norm.eps)
