# SPDX-License-Identifier: MIT
"""Row sum in CUDA: a block of 768 threads takes as many columns a step and never asks where the row ends. The last step adds up the
beginning of the next row, and of the last row what lies behind the tensor. Wrong values; an access out of bounds."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define THREADS 768

__global__ void row_sum_kernel(const float* in, float* out, int cols) {
  __shared__ float parts[THREADS / 32];
  const float* row = in + (long)blockIdx.x * cols;
  float sum = 0.f;
  for (int base = 0; base < cols; base += THREADS) sum += row[base + threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0.f;
    for (int i = 0; i < THREADS / 32; ++i) all += parts[i];
    out[blockIdx.x] = all;
  }
}

torch::Tensor row_sum_forward(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty({in.size(0)}, in.options());
  row_sum_kernel<<<in.size(0), THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), in.size(1));
  return out;
}
"""

extension = load_inline(
    name="zoo_row_sum_cuda_past_the_end",
    cpp_sources="torch::Tensor row_sum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["row_sum_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum_forward(x)
