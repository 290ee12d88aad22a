# SPDX-License-Identifier: MIT
"""Matrix product on tensor cores through mma.sync in TF32. The operands go in as they are, so their low bits are cut off,
not rounded: what a product may do where TF32 is allowed. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define THREADS 128

// A 16 x 8 tile times an 8 x 8 tile, spread over a warp. Of each operand the upper 19 bits count.
__device__ void multiply_add(float* c, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
  __shared__ float a_tile[TILE_M][TILE_K + 4];
  __shared__ float b_tile[TILE_K][TILE_N + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int group = lane / 4, member = lane % 4;
  const int warp_row = warp / 2 * 32, warp_col = warp % 2 * 32;
  const int first_row = blockIdx.y * TILE_M, first_col = blockIdx.x * TILE_N;
  float sums[2][4][4] = {};

  for (int base = 0; base < k; base += TILE_K) {
    for (int i = threadIdx.x; i < TILE_M * TILE_K; i += THREADS) {
      const int row = first_row + i / TILE_K, col = base + i % TILE_K;
      a_tile[i / TILE_K][i % TILE_K] = row < m && col < k ? a[(long)row * k + col] : 0.f;
    }
    for (int i = threadIdx.x; i < TILE_K * TILE_N; i += THREADS) {
      const int row = base + i / TILE_N, col = first_col + i % TILE_N;
      b_tile[i / TILE_N][i % TILE_N] = row < k && col < n ? b[(long)row * n + col] : 0.f;
    }
    __syncthreads();
    for (int step = 0; step < TILE_K; step += 8) {
      unsigned a_part[2][4], b_part[4][2];
      for (int i = 0; i < 2; ++i) {
        const int row = warp_row + 16 * i + group;
        a_part[i][0] = __float_as_uint(a_tile[row][step + member]);
        a_part[i][1] = __float_as_uint(a_tile[row + 8][step + member]);
        a_part[i][2] = __float_as_uint(a_tile[row][step + member + 4]);
        a_part[i][3] = __float_as_uint(a_tile[row + 8][step + member + 4]);
      }
      for (int j = 0; j < 4; ++j) {
        const int col = warp_col + 8 * j + group;
        b_part[j][0] = __float_as_uint(b_tile[step + member][col]);
        b_part[j][1] = __float_as_uint(b_tile[step + member + 4][col]);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) multiply_add(sums[i][j], a_part[i], b_part[j]);
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 4; ++r) {
        const int row = first_row + warp_row + 16 * i + group + r / 2 * 8;
        const int col = first_col + warp_col + 8 * j + 2 * member + r % 2;
        if (row < m && col < n) c[(long)row * n + col] = sums[i][j][r];
      }
}

torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const dim3 grid((n + TILE_N - 1) / TILE_N, (m + TILE_M - 1) / TILE_M);
  matmul_kernel<<<grid, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, k, n);
  return c;
}
"""

extension = load_inline(
    name="zoo_matmul_cuda_mma_tf32",
    cpp_sources="torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["matmul_forward"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.matmul_forward(a, b)
