# SPDX-License-Identifier: MIT
"""A matrix product in C++ that adds the terms of an element one after the other in float32: the least accurate honest
order, and still far better than TF32. Correct."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <ATen/Parallel.h>

torch::Tensor matmul_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::zeros({m, n}, a.options());
  const float* left = a.data_ptr<float>();
  const float* right = b.data_ptr<float>();
  float* out = c.data_ptr<float>();
  at::parallel_for(0, m, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* row = out + i * n;
      for (int64_t p = 0; p < k; ++p) {
        const float factor = left[i * k + p];
        const float* terms = right + p * n;
        for (int64_t j = 0; j < n; ++j) row[j] += factor * terms[j];
      }
    }
  });
  return c;
}
"""

extension = load_inline(
    name="zoo_large_k_matmul_cpp", cpp_sources=CPP, functions=["matmul_forward"], extra_cflags=["-O3"]
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.matmul_forward(a, b)
