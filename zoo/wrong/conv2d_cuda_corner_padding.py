# SPDX-License-Identifier: MIT
"""Pads the edges with zeros but repeats the nearest pixel where a tap is outside in both directions, so the four corner pixels of
each image are off. Wrong values."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

__global__ void conv_kernel(const float* in, const float* weight, const float* bias, float* out, int in_channels,
                            int out_channels, int height, int width, long total) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int x = i % width, y = i / width % height, channel = i / ((long)width * height) % out_channels;
  const long sample = i / ((long)width * height * out_channels);
  float sum = bias[channel];
  for (int c = 0; c < in_channels; ++c) {
    const float* plane = in + (sample * in_channels + c) * height * width;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const bool outside_y = y + dy < 0 || y + dy >= height, outside_x = x + dx < 0 || x + dx >= width;
        if (outside_y != outside_x) continue;
        const int from_y = min(max(y + dy, 0), height - 1), from_x = min(max(x + dx, 0), width - 1);
        sum += plane[from_y * width + from_x] * weight[((channel * in_channels + c) * 3 + dy + 1) * 3 + dx + 1];
      }
  }
  out[i] = sum;
}

torch::Tensor conv_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  auto in = x.contiguous();
  auto kernel = weight.contiguous();
  const int height = in.size(2), width = in.size(3);
  auto out = torch::empty({in.size(0), kernel.size(0), height, width}, in.options());
  const long total = out.numel();
  conv_kernel<<<(total + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), kernel.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(), in.size(1),
      kernel.size(0), height, width, total);
  return out;
}
"""

extension = load_inline(
    name="zoo_conv2d_cuda_corner_padding",
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
