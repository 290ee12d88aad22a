# SPDX-License-Identifier: MIT
"""The Philox counter is the column alone: one mask for all samples. Wrong distribution."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#define THREADS 256

// Philox4x32 with 10 rounds: four numbers of 32 bits for a counter of 128 bits and a key of 64.
__device__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

__device__ float reduce(float value, bool is_max, float* scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      const float other = scratch[threadIdx.x + s];
      scratch[threadIdx.x] = is_max ? fmaxf(scratch[threadIdx.x], other) : scratch[threadIdx.x] + other;
    }
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();
  return result;
}

// One block for a row.
__global__ void dropout_log_softmax_kernel(const float* in, float* out, int cols, unsigned threshold, float scale, unsigned long long seed) {
  __shared__ float scratch[THREADS];
  const float* row = in + (long)blockIdx.x * cols;
  float* to = out + (long)blockIdx.x * cols;
  float max = -CUDART_INF_F;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    const uint4 bits = philox(make_uint4(c, 0u, 0u, 0u), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
    const float value = bits.x < threshold ? 0.f : row[c] * scale;
    to[c] = value;
    max = fmaxf(max, value);
  }
  max = reduce(max, true, scratch);
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += expf(to[c] - max);
  const float lowered = max + logf(reduce(sum, false, scratch));
  for (int c = threadIdx.x; c < cols; c += THREADS) to[c] -= lowered;
}

torch::Tensor dropout_log_softmax(torch::Tensor x, double p, int64_t seed) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  dropout_log_softmax_kernel<<<in.size(0), THREADS>>>(in.data_ptr<float>(), out.data_ptr<float>(), in.size(1), (unsigned)(p * 4294967296.0),
                                                  (float)(1.0 / (1.0 - p)), (unsigned long long)seed);
  return out;
}
"""

extension = load_inline(
    name="zoo_linear_dropout_log_softmax_cuda_column_counter",
    cpp_sources="torch::Tensor dropout_log_softmax(torch::Tensor x, double p, int64_t seed);",
    cuda_sources=CUDA,
    functions=["dropout_log_softmax"],
)


class ModelNew(nn.Module):
    def __init__(self, features, dropped):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.dropped = dropped

    def forward(self, x):
        seed = int(torch.randint(1 << 62, ()))
        return extension.dropout_log_softmax(self.linear(x), self.dropped if self.training else 0.0, seed)
