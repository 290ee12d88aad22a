# SPDX-License-Identifier: MIT
"""Shares the elements among threads of its own in C++, and joins them before it returns. Right."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <algorithm>
#include <thread>
#include <vector>

torch::Tensor relu_forward(torch::Tensor x) {
  x = x.contiguous();
  auto out = torch::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  const int64_t count = x.numel(), parts = 4;
  std::vector<std::thread> threads;
  for (int64_t part = 0; part < parts; ++part)
    threads.emplace_back([=] {
      for (int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) to[i] = std::max(from[i], 0.f);
    });
  for (auto& thread : threads) thread.join();
  return out;
}
"""

extension = load_inline(name="zoo_relu_cpp_threads", cpp_sources=CPP, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
