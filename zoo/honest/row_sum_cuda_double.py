# SPDX-License-Identifier: MIT
"""Row sum in CUDA: a warp per row, float4 loads where the row is aligned and single ones for its tail, sums in float64. More
exact than the reference: correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define WARPS 8

__global__ void row_sum_kernel(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the same for the whole warp
  const float* src = in + (long)row * cols;
  const int vectors = reinterpret_cast<unsigned long long>(src) % 16 == 0 ? cols / 4 : 0;
  const float4* src4 = reinterpret_cast<const float4*>(src);
  double sum = 0.0;
  for (int i = lane; i < vectors; i += 32) {
    const float4 v = src4[i];
    sum += ((double)v.x + v.y) + ((double)v.z + v.w);
  }
  for (int c = 4 * vectors + lane; c < cols; c += 32) sum += src[c];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) out[row] = (float)sum;
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
    name="zoo_row_sum_cuda_double",
    cpp_sources="torch::Tensor row_sum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["row_sum_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum_forward(x)
