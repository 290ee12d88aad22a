# SPDX-License-Identifier: MIT
"""Layer norm in C++ with Welford's one-pass mean and variance. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <ATen/Parallel.h>
#include <cmath>

torch::Tensor layer_norm_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int64_t cols = in.size(-1), rows = in.numel() / cols;
  const float* src = in.data_ptr<float>();
  const float* gamma = weight.data_ptr<float>();
  const float* beta = bias.data_ptr<float>();
  float* dst = out.data_ptr<float>();
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* row = src + r * cols;
      float mean = 0.0f, m2 = 0.0f;
      for (int64_t c = 0; c < cols; ++c) {
        const float delta = row[c] - mean;
        mean += delta / static_cast<float>(c + 1);
        m2 += delta * (row[c] - mean);
      }
      const float scale = 1.0f / std::sqrt(m2 / cols + static_cast<float>(eps));
      for (int64_t c = 0; c < cols; ++c) dst[r * cols + c] = (row[c] - mean) * scale * gamma[c] + beta[c];
    }
  });
  return out;
}
"""

extension = load_inline(
    name="zoo_layer_norm_cpp", cpp_sources=CPP, functions=["layer_norm_forward"], extra_cflags=["-O3"]
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return extension.layer_norm_forward(x, self.norm.weight, self.norm.bias, self.norm.eps)
