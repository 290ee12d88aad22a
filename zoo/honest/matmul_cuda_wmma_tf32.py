# SPDX-License-Identifier: MIT
"""Matrix product on tensor cores through the wmma interface, the operands rounded to TF32 first, the sums in float32. Correct
where TF32 is allowed."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

#define TILE 64
#define TILE_K 16
#define THREADS 128

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  __shared__ __align__(32) float a_tile[TILE][TILE_K + 8];
  __shared__ __align__(32) float b_tile[TILE_K][TILE + 8];
  __shared__ __align__(32) float c_tile[TILE][TILE + 8];
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * 32, warp_col = warp % 2 * 32;
  const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sums[i][j], 0.f);

  for (int base = 0; base < k; base += TILE_K) {
    for (int i = threadIdx.x; i < TILE * TILE_K; i += THREADS) {
      const int row = first_row + i / TILE_K, col = base + i % TILE_K;
      a_tile[i / TILE_K][i % TILE_K] = row < m && col < k ? a[(long)row * k + col] : 0.f;
    }
    for (int i = threadIdx.x; i < TILE_K * TILE; i += THREADS) {
      const int row = base + i / TILE, col = first_col + i % TILE;
      b_tile[i / TILE][i % TILE] = row < k && col < n ? b[(long)row * n + col] : 0.f;
    }
    __syncthreads();
    for (int step = 0; step < TILE_K; step += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a_part[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b_part[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(a_part[i], &a_tile[warp_row + 16 * i][step], TILE_K + 8);
        wmma::load_matrix_sync(b_part[i], &b_tile[step][warp_col + 16 * i], TILE + 8);
        for (int t = 0; t < a_part[i].num_elements; ++t) a_part[i].x[t] = wmma::__float_to_tf32(a_part[i].x[t]);
        for (int t = 0; t < b_part[i].num_elements; ++t) b_part[i].x[t] = wmma::__float_to_tf32(b_part[i].x[t]);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], a_part[i], b_part[j], sums[i][j]);
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&c_tile[warp_row + 16 * i][warp_col + 16 * j], sums[i][j], TILE + 8, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
    const int row = first_row + i / TILE, col = first_col + i % TILE;
    if (row < m && col < n) c[(long)row * n + col] = c_tile[i / TILE][i % TILE];
  }
}

torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  matmul_kernel<<<grid, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, k, n);
  return c;
}
"""

extension = load_inline(
    name="zoo_matmul_cuda_wmma_tf32",
    cpp_sources="torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["matmul_forward"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.matmul_forward(a, b)
