# SPDX-License-Identifier: MIT
"""RMS norm in C++: one float32 sum of squares after the other, in order. Rows are short enough for it: correct."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <ATen/Parallel.h>
#include <cmath>

torch::Tensor rms_norm_forward(torch::Tensor x, torch::Tensor weight, double eps) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int64_t cols = in.size(-1), rows = in.numel() / cols;
  const float* src = in.data_ptr<float>();
  const float* gain = weight.data_ptr<float>();
  float* dst = out.data_ptr<float>();
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* row = src + r * cols;
      float sum = 0.0f;
      for (int64_t c = 0; c < cols; ++c) sum += row[c] * row[c];
      const float inverse = 1.0f / std::sqrt(sum / cols + static_cast<float>(eps));
      for (int64_t c = 0; c < cols; ++c) dst[r * cols + c] = row[c] * inverse * gain[c];
    }
  });
  return out;
}
"""

extension = load_inline(name="zoo_rms_norm_cpp", cpp_sources=CPP, functions=["rms_norm_forward"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = 1e-6

    def forward(self, x):
        return extension.rms_norm_forward(x, self.weight, self.eps)
