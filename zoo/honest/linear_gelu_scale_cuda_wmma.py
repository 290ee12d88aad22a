# SPDX-License-Identifier: MIT
"""The whole chain in one CUDA kernel: the product on tensor cores in TF32, then bias, erf GELU, scale and residual on the tile in
shared memory. Correct where TF32 is allowed."""

import torch
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

/// weight: features x features, a row for each output, so it is read as the column-major right operand.
__global__ void chain_kernel(const float* x, const float* weight, const float* bias, const float* scale, float* out, int rows,
                             int features) {
  __shared__ __align__(32) float x_tile[TILE][TILE_K + 8];
  __shared__ __align__(32) float w_tile[TILE][TILE_K + 8];
  __shared__ __align__(32) float y_tile[TILE][TILE + 8];
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * 32, warp_col = warp % 2 * 32;
  const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sums[i][j], 0.f);

  for (int base = 0; base < features; base += TILE_K) {
    for (int i = threadIdx.x; i < TILE * TILE_K; i += THREADS) {
      const int r = i / TILE_K, d = base + i % TILE_K;
      x_tile[r][i % TILE_K] = first_row + r < rows && d < features ? x[(long)(first_row + r) * features + d] : 0.f;
      w_tile[r][i % TILE_K] = first_col + r < features && d < features ? weight[(long)(first_col + r) * features + d] : 0.f;
    }
    __syncthreads();
    for (int step = 0; step < TILE_K; step += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x_part[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> w_part[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(x_part[i], &x_tile[warp_row + 16 * i][step], TILE_K + 8);
        wmma::load_matrix_sync(w_part[i], &w_tile[warp_col + 16 * i][step], TILE_K + 8);
        for (int t = 0; t < x_part[i].num_elements; ++t) x_part[i].x[t] = wmma::__float_to_tf32(x_part[i].x[t]);
        for (int t = 0; t < w_part[i].num_elements; ++t) w_part[i].x[t] = wmma::__float_to_tf32(w_part[i].x[t]);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], x_part[i], w_part[j], sums[i][j]);
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&y_tile[warp_row + 16 * i][warp_col + 16 * j], sums[i][j], TILE + 8, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
    const int row = first_row + i / TILE, col = first_col + i % TILE;
    if (row >= rows || col >= features) continue;
    const float v = y_tile[i / TILE][i % TILE] + bias[col];
    const float gelu = 0.5f * v * (1.f + erff(v * 0.70710678f));
    out[(long)row * features + col] = x[(long)row * features + col] + scale[col] * gelu;
  }
}

torch::Tensor chain_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor scale) {
  auto in = x.contiguous();
  auto matrix = weight.contiguous();
  auto out = torch::empty_like(in);
  const int rows = in.size(0), features = in.size(1);
  const dim3 grid((features + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  chain_kernel<<<grid, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), matrix.data_ptr<float>(), bias.data_ptr<float>(), scale.data_ptr<float>(),
      out.data_ptr<float>(), rows, features);
  return out;
}
"""

extension = load_inline(
    name="zoo_linear_gelu_scale_cuda_wmma",
    cpp_sources="torch::Tensor chain_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor scale);",
    cuda_sources=CUDA,
    functions=["chain_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = nn.Parameter(0.5 + 4.0 * torch.rand(features))

    def forward(self, x):
        return extension.chain_forward(x, self.linear.weight, self.linear.bias, self.scale)
