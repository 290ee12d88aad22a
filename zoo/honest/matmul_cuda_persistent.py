# SPDX-License-Identifier: MIT
"""Matrix product in CUDA by a fixed number of blocks that walk over the tiles; float4 loads where rows are aligned, single
ones at the edges; 4 x 4 sums per thread in float32. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define TILE 64
#define TILE_K 16
#define THREADS 256
#define BLOCKS 264

/// Four values of a row from `col` on; zero where the matrix ends.
__device__ float4 load4(const float* matrix, int row, int col, int rows, int cols, bool aligned) {
  if (row >= rows) return make_float4(0.f, 0.f, 0.f, 0.f);
  const float* p = matrix + (long)row * cols + col;
  if (aligned && col + 3 < cols) return *reinterpret_cast<const float4*>(p);
  return make_float4(col < cols ? p[0] : 0.f, col + 1 < cols ? p[1] : 0.f, col + 2 < cols ? p[2] : 0.f,
                     col + 3 < cols ? p[3] : 0.f);
}

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n, bool a_aligned, bool b_aligned) {
  __shared__ float a_tile[TILE_K][TILE + 4];  // transposed
  __shared__ float b_tile[TILE_K][TILE + 4];
  const int tiles_across = (n + TILE - 1) / TILE;
  const int tiles = tiles_across * ((m + TILE - 1) / TILE);
  const int my_row = threadIdx.x / 16 * 4, my_col = threadIdx.x % 16 * 4;

  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int first_row = tile / tiles_across * TILE, first_col = tile % tiles_across * TILE;
    float sums[4][4] = {};
    for (int base = 0; base < k; base += TILE_K) {
      const int a_row = threadIdx.x / 4, a_col = threadIdx.x % 4 * 4;
      const float4 from_a = load4(a, first_row + a_row, base + a_col, m, k, a_aligned);
      const int b_row = threadIdx.x / 16, b_col = threadIdx.x % 16 * 4;
      const float4 from_b = load4(b, base + b_row, first_col + b_col, k, n, b_aligned);
      a_tile[a_col][a_row] = from_a.x;
      a_tile[a_col + 1][a_row] = from_a.y;
      a_tile[a_col + 2][a_row] = from_a.z;
      a_tile[a_col + 3][a_row] = from_a.w;
      b_tile[b_row][b_col] = from_b.x;
      b_tile[b_row][b_col + 1] = from_b.y;
      b_tile[b_row][b_col + 2] = from_b.z;
      b_tile[b_row][b_col + 3] = from_b.w;
      __syncthreads();
      for (int step = 0; step < TILE_K; ++step)
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) sums[i][j] += a_tile[step][my_row + i] * b_tile[step][my_col + j];
      __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const int row = first_row + my_row + i, col = first_col + my_col + j;
        if (row < m && col < n) c[(long)row * n + col] = sums[i][j];
      }
  }
}

bool aligned(const float* p, int cols) { return reinterpret_cast<uintptr_t>(p) % 16 == 0 && cols % 4 == 0; }

torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const float* pa = a.data_ptr<float>();
  const float* pb = b.data_ptr<float>();
  matmul_kernel<<<BLOCKS, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      pa, pb, c.data_ptr<float>(), m, k, n, aligned(pa, k), aligned(pb, n));
  return c;
}
"""

extension = load_inline(
    name="zoo_matmul_cuda_persistent",
    cpp_sources="torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["matmul_forward"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.matmul_forward(a, b)
