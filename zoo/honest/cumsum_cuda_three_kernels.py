# SPDX-License-Identifier: MIT
"""Prefix sum in CUDA by three kernels on one stream: totals of chunks, their prefix sums in float64, the chunks themselves.
The scratch memory between them is kept from call to call; the output is fresh each time. Correct."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define CHUNK 256

__global__ void totals_kernel(const float* in, double* totals, int cols) {
  __shared__ double parts[CHUNK];
  const int col = blockIdx.x * CHUNK + threadIdx.x;
  parts[threadIdx.x] = col < cols ? in[(long)blockIdx.y * cols + col] : 0.0;
  __syncthreads();
  for (int s = CHUNK / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) parts[threadIdx.x] += parts[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[(long)blockIdx.y * gridDim.x + blockIdx.x] = parts[0];
}

/// Totals become the sums of all chunks before.
__global__ void offsets_kernel(double* totals, int rows, int chunks) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double before = 0.0;
  for (int c = 0; c < chunks; ++c) {
    const double own = totals[(long)row * chunks + c];
    totals[(long)row * chunks + c] = before;
    before += own;
  }
}

__global__ void chunks_kernel(const float* in, const double* offsets, float* out, int cols) {
  __shared__ float sums[2][CHUNK];
  const int col = blockIdx.x * CHUNK + threadIdx.x;
  int from = 0;
  sums[0][threadIdx.x] = col < cols ? in[(long)blockIdx.y * cols + col] : 0.f;
  __syncthreads();
  for (int distance = 1; distance < CHUNK; distance <<= 1) {
    float sum = sums[from][threadIdx.x];
    if (threadIdx.x >= distance) sum += sums[from][threadIdx.x - distance];
    from = 1 - from;
    sums[from][threadIdx.x] = sum;
    __syncthreads();
  }
  const double offset = offsets[(long)blockIdx.y * gridDim.x + blockIdx.x];
  if (col < cols) out[(long)blockIdx.y * cols + col] = (float)(offset + sums[from][threadIdx.x]);
}

torch::Tensor cumsum_forward(torch::Tensor x, torch::Tensor scratch) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int rows = in.size(0), cols = in.size(1), chunks = (cols + CHUNK - 1) / CHUNK;
  TORCH_CHECK(scratch.numel() >= (int64_t)rows * chunks, "the scratch memory is too small");
  const auto stream = c10::cuda::getCurrentCUDAStream();
  double* totals = scratch.data_ptr<double>();
  totals_kernel<<<dim3(chunks, rows), CHUNK, 0, stream>>>(in.data_ptr<float>(), totals, cols);
  offsets_kernel<<<(rows + 127) / 128, 128, 0, stream>>>(totals, rows, chunks);
  chunks_kernel<<<dim3(chunks, rows), CHUNK, 0, stream>>>(in.data_ptr<float>(), totals, out.data_ptr<float>(), cols);
  return out;
}
"""

extension = load_inline(
    name="zoo_cumsum_cuda_three_kernels",
    cpp_sources="torch::Tensor cumsum_forward(torch::Tensor x, torch::Tensor scratch);",
    cuda_sources=CUDA,
    functions=["cumsum_forward"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None

    def forward(self, x):
        needed = x.shape[0] * ((x.shape[1] + 255) // 256)
        if self.scratch is None or self.scratch.numel() < needed or self.scratch.device != x.device:
            self.scratch = torch.empty(needed, dtype=torch.float64, device=x.device)
        return extension.cumsum_forward(x, self.scratch)
