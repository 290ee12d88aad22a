# SPDX-License-Identifier: MIT
"""Convolution in CUDA as an implicit product of weights and image columns, which are gathered tile by tile in padded shared
memory, in float32. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#define TILE 64
#define TILE_K 16
#define THREADS 256

/// weight: out_channels x depth, depth = in_channels * 9; the columns of the product are the pixels of all images.
__global__ void conv_kernel(const float* in, const float* weight, const float* bias, float* out, int in_channels,
                            int out_channels, int height, int width, int pixels) {
  __shared__ float weight_tile[TILE_K][TILE + 1];
  __shared__ float image_tile[TILE_K][TILE + 1];
  const int depth = in_channels * 9, plane = height * width;
  const int first_channel = blockIdx.y * TILE, first_pixel = blockIdx.x * TILE;
  const int my_channel = threadIdx.x / 16 * 4, my_pixel = threadIdx.x % 16 * 4;
  float sums[4][4] = {};

  for (int base = 0; base < depth; base += TILE_K) {
    for (int i = threadIdx.x; i < TILE * TILE_K; i += THREADS) {
      const int channel = first_channel + i / TILE_K, d = base + i % TILE_K;
      weight_tile[i % TILE_K][i / TILE_K] = channel < out_channels && d < depth ? weight[channel * depth + d] : 0.f;
    }
    for (int i = threadIdx.x; i < TILE * TILE_K; i += THREADS) {
      const int pixel = first_pixel + i % TILE, d = base + i / TILE;
      float value = 0.f;
      if (pixel < pixels && d < depth) {
        const int channel = d / 9, tap = d % 9;
        const int y = pixel % plane / width + tap / 3 - 1, x = pixel % width + tap % 3 - 1;
        if (y >= 0 && y < height && x >= 0 && x < width)
          value = in[((long)(pixel / plane) * in_channels + channel) * plane + y * width + x];
      }
      image_tile[i / TILE][i % TILE] = value;
    }
    __syncthreads();
    for (int step = 0; step < TILE_K; ++step)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += weight_tile[step][my_channel + i] * image_tile[step][my_pixel + j];
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int channel = first_channel + my_channel + i, pixel = first_pixel + my_pixel + j;
      if (channel < out_channels && pixel < pixels)
        out[((long)(pixel / plane) * out_channels + channel) * plane + pixel % plane] = sums[i][j] + bias[channel];
    }
}

torch::Tensor conv_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  auto in = x.contiguous();
  auto kernel = weight.contiguous();
  const int batch = in.size(0), in_channels = in.size(1), height = in.size(2), width = in.size(3);
  const int out_channels = kernel.size(0), pixels = batch * height * width;
  auto out = torch::empty({batch, out_channels, height, width}, in.options());
  const dim3 grid((pixels + TILE - 1) / TILE, (out_channels + TILE - 1) / TILE);
  conv_kernel<<<grid, THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), kernel.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(), in_channels,
      out_channels, height, width, pixels);
  return out;
}
"""

extension = load_inline(
    name="zoo_conv2d_cuda_implicit_gemm",
    cpp_sources="torch::Tensor conv_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=CUDA,
    functions=["conv_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x):
        return extension.conv_forward(x, self.conv.weight, self.conv.bias)
