# SPDX-License-Identifier: MIT
"""Row sum in C++ as a plain sequential fp32 loop, the least accurate honest order. Rows are short: correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>

torch::Tensor row_sum_forward(torch::Tensor x) {
  auto in = x.contiguous();
  const int64_t rows = in.size(0), cols = in.size(1);
  auto out = torch::empty({rows}, in.options());
  const float* src = in.data_ptr<float>();
  float* dst = out.data_ptr<float>();
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c) sum += src[r * cols + c];
    dst[r] = sum;
  }
  return out;
}
"""

extension = load_inline(name="zoo_row_sum_cpp", cpp_sources=CPP, functions=["row_sum_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.row_sum_forward(x)
