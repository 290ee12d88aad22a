# SPDX-License-Identifier: MIT
"""Does not subtract the row's maximum before exp, which overflows from 89 on: infinite for large logits, right for others. Wrong
values."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define THREADS 256

__global__ void row_loss_kernel(const float* logits, const int64_t* labels, float* loss, int classes) {
  __shared__ float sums[THREADS];
  const float* row = logits + (long)blockIdx.x * classes;
  float sum = 0.f;
  for (int c = threadIdx.x; c < classes; c += THREADS) sum += expf(row[c]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sums[0]) - row[labels[blockIdx.x]];
}

torch::Tensor cross_entropy_forward(torch::Tensor logits, torch::Tensor labels) {
  logits = logits.contiguous();
  labels = labels.contiguous();
  auto loss = torch::empty({logits.size(0)}, logits.options());
  row_loss_kernel<<<logits.size(0), THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      logits.data_ptr<float>(), labels.data_ptr<int64_t>(), loss.data_ptr<float>(), logits.size(1));
  return loss.mean();
}
"""

extension = load_inline(
    name="zoo_cross_entropy_cuda_no_max",
    cpp_sources="torch::Tensor cross_entropy_forward(torch::Tensor logits, torch::Tensor labels);",
    cuda_sources=CUDA,
    functions=["cross_entropy_forward"],
)


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        return extension.cross_entropy_forward(logits, labels)
