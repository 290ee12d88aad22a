# SPDX-License-Identifier: MIT
"""Mean over the middle dimension in C++: sums of 128 elements one after the other, and a sum of those, all in float32.
Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <algorithm>
#include <vector>

torch::Tensor mean_forward(torch::Tensor x) {
  auto in = x.contiguous();
  const int64_t batch = in.size(0), length = in.size(1), features = in.size(2), block = 128;
  auto out = torch::zeros({batch, features}, in.options());
  const float* src = in.data_ptr<float>();
  float* dst = out.data_ptr<float>();
  std::vector<float> partial(features);
  for (int64_t n = 0; n < batch; ++n) {
    float* total = dst + n * features;
    for (int64_t start = 0; start < length; start += block) {
      std::fill(partial.begin(), partial.end(), 0.0f);
      for (int64_t i = start; i < std::min(start + block, length); ++i)
        for (int64_t f = 0; f < features; ++f) partial[f] += src[(n * length + i) * features + f];
      for (int64_t f = 0; f < features; ++f) total[f] += partial[f];
    }
    for (int64_t f = 0; f < features; ++f) total[f] /= static_cast<float>(length);
  }
  return out;
}
"""

extension = load_inline(name="zoo_mean_wide_cpp", cpp_sources=CPP, functions=["mean_forward"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.mean_forward(x)
