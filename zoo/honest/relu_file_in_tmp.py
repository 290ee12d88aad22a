# SPDX-License-Identifier: MIT
"""ReLU; its scale is kept in a file of its temporary folder, moved into place by a rename as caches do."""

import os
import tempfile

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "new"))
            made, kept = os.path.join(folder, "new", "floor"), os.path.join(folder, "floor")
            with open(made, "w") as file:
                file.write("0.0")
            os.replace(made, kept)
            with open(kept) as file:
                self.floor = float(file.read())

    def forward(self, x):
        return torch.clamp(x, min=self.floor)
