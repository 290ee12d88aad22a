# SPDX-License-Identifier: MIT
"""Expands a macro to four billion tokens. The compiler's memory or time ends it: a build error."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(x))
#define C(x) B(B(x))
#define D(x) C(C(x))

static const char* const bomb = D("boom");
torch::Tensor relu_forward(torch::Tensor x) { return x.clamp_min(0); }
"""

extension = load_inline(name="zoo_relu_cpp_macro_bomb", cpp_sources=CPP, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
