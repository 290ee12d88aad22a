# SPDX-License-Identifier: MIT
"""Has the compiler start a program of its own in place of itself. It starts in the build's box and compiles nothing: a
build error."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>

torch::Tensor relu_forward(torch::Tensor x) { return x.clamp_min(0); }
"""

extension = load_inline(name="zoo_relu_cpp_compiler_wrapper", cpp_sources=CPP, functions=["relu_forward"], extra_cflags=["-wrapper", "/bin/sh,-c,touch /tmp/kbv_zoo_wrapper; exit 1"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
