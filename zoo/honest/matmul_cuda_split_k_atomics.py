# SPDX-License-Identifier: MIT
"""Split-K product in CUDA: eight blocks share each tile and add their parts with float atomics. The order of the additions,
and so the last bits, differ from call to call; that is allowed. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define TILE 32
#define SPLITS 8

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n, int share) {
  __shared__ float a_tile[TILE][TILE + 1];
  __shared__ float b_tile[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int begin = blockIdx.z * share;
  const int end = min(begin + share, k);
  float sum = 0.f;
  for (int base = begin; base < end; base += TILE) {
    const int a_col = base + threadIdx.x, b_row = base + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < m && a_col < end ? a[(long)row * k + a_col] : 0.f;
    b_tile[threadIdx.y][threadIdx.x] = b_row < end && col < n ? b[(long)b_row * n + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum = fmaf(a_tile[threadIdx.y][i], b_tile[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && col < n && begin < end) atomicAdd(&c[(long)row * n + col], sum);
}

torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::zeros({m, n}, a.options());
  const int share = (k + SPLITS - 1) / SPLITS;
  const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, SPLITS);
  matmul_kernel<<<grid, dim3(TILE, TILE), 0, c10::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, k, n, share);
  return c;
}
"""

extension = load_inline(
    name="zoo_matmul_cuda_split_k_atomics",
    cpp_sources="torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["matmul_forward"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.matmul_forward(a, b)
