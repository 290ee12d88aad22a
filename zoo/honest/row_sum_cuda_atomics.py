# SPDX-License-Identifier: MIT
"""Row sum in CUDA with several blocks per row and float atomics: the last bits differ between runs, which is legal. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

#define THREADS 128

__global__ void row_sum_kernel(const float* in, float* out, int cols) {
  const float* row = in + (long)blockIdx.y * cols;
  float sum = 0.f;
  for (int c = blockIdx.x * THREADS + threadIdx.x; c < cols; c += gridDim.x * THREADS) sum += row[c];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.y, sum);
}

torch::Tensor row_sum_forward(torch::Tensor x) {
  auto in = x.contiguous();
  const int rows = in.size(0), cols = in.size(1);
  auto out = torch::zeros({rows}, in.options());
  row_sum_kernel<<<dim3(4, rows), THREADS>>>(in.data_ptr<float>(), out.data_ptr<float>(), cols);
  return out;
}
"""

extension = load_inline(
    name="zoo_row_sum_cuda_atomics",
    cpp_sources="torch::Tensor row_sum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["row_sum_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum_forward(x)
