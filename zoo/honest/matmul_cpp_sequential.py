# SPDX-License-Identifier: MIT
"""Matrix product in C++, each element a plain sequential sum in float32: the longest chain of roundings that an honest kernel
has. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <ATen/Parallel.h>

torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const float* pa = a.data_ptr<float>();
  const float* pb = b.data_ptr<float>();
  float* pc = c.data_ptr<float>();
  at::parallel_for(0, m, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t col = 0; col < n; ++col) {
        float sum = 0.0f;
        for (int64_t i = 0; i < k; ++i) sum += pa[row * k + i] * pb[i * n + col];
        pc[row * n + col] = sum;
      }
  });
  return c;
}
"""

extension = load_inline(
    name="zoo_matmul_cpp_sequential", cpp_sources=CPP, functions=["matmul_forward"], extra_cflags=["-O2"]
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.matmul_forward(a, b)
