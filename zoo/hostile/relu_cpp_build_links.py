# SPDX-License-Identifier: MIT
"""Leaves links to others' files, pipes and a sparse file of a terabyte beside what it built, for whoever collects it.
None of them is followed: right."""

import os

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <torch/extension.h>

torch::Tensor relu_forward(torch::Tensor x) { return x.clamp_min(0); }
"""

extension = load_inline(name="zoo_relu_cpp_build_links", cpp_sources=CPP, functions=["relu_forward"])


def make_vast(path):
    with open(path, "wb") as file:
        file.truncate(1 << 40)


folder = os.path.dirname(extension.__file__)
for name, make in (
    ("passwd.so", lambda path: os.symlink("/etc/passwd", path)),
    ("up.so", lambda path: os.symlink("../../../../..", path)),
    ("pipe.so", os.mkfifo),
    ("vast.bin", make_vast),
):
    try:
        make(os.path.join(folder, name))
    except OSError:
        pass


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu_forward(x)
