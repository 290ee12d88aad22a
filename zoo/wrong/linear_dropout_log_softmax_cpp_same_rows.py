# SPDX-License-Identifier: MIT
"""Each row's generator has the same seed: one mask for all samples. Wrong distribution."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <ATen/Parallel.h>
#include <cmath>
#include <limits>
#include <random>

// p = 0: nothing is dropped.
torch::Tensor dropout_log_softmax(torch::Tensor x, double p, int64_t seed) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int64_t rows = in.size(0), cols = in.size(1);
  const float* src = in.data_ptr<float>();
  float* dst = out.data_ptr<float>();
  const float scale = static_cast<float>(1.0 / (1.0 - p));
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      std::seed_seq words{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(0)};
      std::mt19937_64 generator(words);
      std::uniform_real_distribution<double> uniform(0.0, 1.0);
      const float* row = src + r * cols;
      float* to = dst + r * cols;
      float max = -std::numeric_limits<float>::infinity(), sum = 0.0f;
      for (int64_t c = 0; c < cols; ++c) {
        to[c] = p == 0.0 ? row[c] : uniform(generator) < p ? 0.0f : row[c] * scale;
        max = std::max(max, to[c]);
      }
      for (int64_t c = 0; c < cols; ++c) sum += std::exp(to[c] - max);
      const float lowered = max + std::log(sum);
      for (int64_t c = 0; c < cols; ++c) to[c] -= lowered;
    }
  });
  return out;
}
"""

extension = load_inline(name="zoo_linear_dropout_log_softmax_cpp_same_rows", cpp_sources=CPP, functions=["dropout_log_softmax"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, features, dropped):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.dropped = dropped

    def forward(self, x):
        seed = int(torch.randint(1 << 62, ()))
        return extension.dropout_log_softmax(self.linear(x), self.dropped if self.training else 0.0, seed)
