# SPDX-License-Identifier: MIT
"""Row sum in CUDA that adds each row's sum to an output which nobody has set to zero. Wrong values, unless the memory happens to
hold zeros."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define WARPS 8

__global__ void row_sum_kernel(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.f;
  for (int c = lane; c < cols; c += 32) sum += in[(long)row * cols + c];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) out[row] += sum;
}

torch::Tensor row_sum_forward(torch::Tensor x) {
  auto in = x.contiguous();
  const int rows = in.size(0), cols = in.size(1);
  auto out = torch::empty({rows}, in.options());
  row_sum_kernel<<<(rows + WARPS - 1) / WARPS, WARPS * 32, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
  return out;
}
"""

extension = load_inline(
    name="zoo_row_sum_cuda_uninitialised_total",
    cpp_sources="torch::Tensor row_sum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["row_sum_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum_forward(x)
