# SPDX-License-Identifier: MIT
"""Starts the maximum at FLT_MIN, the smallest positive number rather than the lowest: windows without a positive value come out as
about 0. Wrong values."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <cfloat>

__global__ void max_pool_kernel(const float* in, float* out, int height, int width, int out_height, int out_width, long total) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int ox = i % out_width;
  const int oy = i / out_width % out_height;
  const float* plane = in + i / ((long)out_width * out_height) * height * width;
  float best = FLT_MIN;
  for (int y = max(2 * oy - 1, 0); y <= min(2 * oy + 1, height - 1); ++y)
    for (int x = max(2 * ox - 1, 0); x <= min(2 * ox + 1, width - 1); ++x) best = fmaxf(best, plane[y * width + x]);
  out[i] = best;
}

torch::Tensor max_pool_forward(torch::Tensor x) {
  auto in = x.contiguous();
  const int height = in.size(2), width = in.size(3);
  const int out_height = (height - 1) / 2 + 1, out_width = (width - 1) / 2 + 1;
  auto out = torch::empty({in.size(0), in.size(1), out_height, out_width}, in.options());
  const long total = out.numel();
  max_pool_kernel<<<(total + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), height, width, out_height, out_width, total);
  return out;
}
"""

extension = load_inline(
    name="zoo_max_pool2d_cuda_flt_min",
    cpp_sources="torch::Tensor max_pool_forward(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["max_pool_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.max_pool_forward(x)
