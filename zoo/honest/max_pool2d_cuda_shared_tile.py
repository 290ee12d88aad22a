# SPDX-License-Identifier: MIT
"""Max pooling in CUDA: each block copies the image part that its outputs need into shared memory, -inf outside of the image.
Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#define OUT_X 32
#define OUT_Y 8
#define IN_X (2 * OUT_X + 1)
#define IN_Y (2 * OUT_Y + 1)

__global__ void max_pool_kernel(const float* in, float* out, int height, int width, int out_height, int out_width) {
  __shared__ float part[IN_Y][IN_X];
  const float* plane = in + (long)blockIdx.z * height * width;
  const int first_y = 2 * blockIdx.y * OUT_Y - 1, first_x = 2 * blockIdx.x * OUT_X - 1;
  for (int i = threadIdx.y * OUT_X + threadIdx.x; i < IN_Y * IN_X; i += OUT_X * OUT_Y) {
    const int y = first_y + i / IN_X, x = first_x + i % IN_X;
    part[i / IN_X][i % IN_X] = y >= 0 && y < height && x >= 0 && x < width ? plane[y * width + x] : -CUDART_INF_F;
  }
  __syncthreads();
  const int out_y = blockIdx.y * OUT_Y + threadIdx.y, out_x = blockIdx.x * OUT_X + threadIdx.x;
  if (out_y >= out_height || out_x >= out_width) return;
  float best = -CUDART_INF_F;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) best = fmaxf(best, part[2 * threadIdx.y + dy][2 * threadIdx.x + dx]);
  out[((long)blockIdx.z * out_height + out_y) * out_width + out_x] = best;
}

torch::Tensor max_pool_forward(torch::Tensor x) {
  auto in = x.contiguous();
  const int planes = in.size(0) * in.size(1), height = in.size(2), width = in.size(3);
  const int out_height = (height - 1) / 2 + 1, out_width = (width - 1) / 2 + 1;
  auto out = torch::empty({in.size(0), in.size(1), out_height, out_width}, in.options());
  const dim3 grid((out_width + OUT_X - 1) / OUT_X, (out_height + OUT_Y - 1) / OUT_Y, planes);
  max_pool_kernel<<<grid, dim3(OUT_X, OUT_Y), 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), height, width, out_height, out_width);
  return out;
}
"""

extension = load_inline(
    name="zoo_max_pool2d_cuda_shared_tile",
    cpp_sources="torch::Tensor max_pool_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["max_pool_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.max_pool_forward(x)
