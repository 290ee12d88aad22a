# SPDX-License-Identifier: MIT
"""A maximum in C++ that starts at numeric_limits<float>::min(), which is the smallest number above 0 and not the lowest.
Wrong where all kept elements are negative."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <algorithm>
#include <limits>

torch::Tensor row_max_forward(torch::Tensor x, torch::Tensor mask) {
  auto in = x.contiguous();
  auto kept = mask.contiguous();
  const int64_t rows = in.size(0), cols = in.size(1);
  auto out = torch::empty({rows}, in.options());
  const float* src = in.data_ptr<float>();
  const bool* keep = kept.data_ptr<bool>();
  float* dst = out.data_ptr<float>();
  for (int64_t r = 0; r < rows; ++r) {
    float best = std::numeric_limits<float>::min();
    for (int64_t c = 0; c < cols; ++c)
      if (keep[r * cols + c]) best = std::max(best, src[r * cols + c]);
    dst[r] = best;
  }
  return out;
}
"""

extension = load_inline(
    name="zoo_masked_row_max_cpp_float_min", cpp_sources=CPP, functions=["row_max_forward"], extra_cflags=["-O3"]
)


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return extension.row_max_forward(x, mask)
