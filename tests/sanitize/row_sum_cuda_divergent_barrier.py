# SPDX-License-Identifier: MIT
"""Row sum in CUDA: a tree in shared memory whose barrier stands inside the branch, so that only the threads that still add reach it. The threads
of a block that have left wait at another barrier, or have ended. What comes out may be right; CUDA defines nothing."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime.h>

#define THREADS 256

__global__ void row_sum_kernel(const float* in, float* out, int cols) {
  __shared__ float partial[THREADS];
  const float* row = in + (long)blockIdx.x * cols;
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += row[c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

torch::Tensor row_sum_forward(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty({in.size(0)}, in.options());
  row_sum_kernel<<<in.size(0), THREADS>>>(in.data_ptr<float>(), out.data_ptr<float>(), in.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

extension = load_inline(
    name="sanitize_row_sum_cuda_divergent_barrier",
    cpp_sources="torch::Tensor row_sum_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["row_sum_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum_forward(x)
