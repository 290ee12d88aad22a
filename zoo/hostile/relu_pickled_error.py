# SPDX-License-Identifier: MIT
"""Raises an exception that runs a program when it is unpickled by whoever receives it, and returns such a thing as its
output before. Nothing of it is unpickled: rejected."""

import os

import torch
import torch.nn as nn


class Trap(Exception):
    def __reduce__(self):
        return (os.system, ("touch /tmp/kbv_zoo_unpickled",))


class ModelNew(nn.Module):
    def forward(self, x):
        raise Trap("gotcha")
