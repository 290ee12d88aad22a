# SPDX-License-Identifier: MIT
"""A static constructor in the extension leaves the process with status 0 while it is loaded. Rejected, as a crash or a
build error."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>
#include <unistd.h>

struct Leave {
  Leave() { _exit(0); }
} leave;

torch::Tensor relu_forward(torch::Tensor x) { return x.clamp_min(0); }
"""

extension = load_inline(name="zoo_relu_cpp_native_constructor", cpp_sources=CPP, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
