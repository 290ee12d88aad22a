# SPDX-License-Identifier: MIT
"""Leaves with status 0 from a thread, a little after it has said that it was done. Rejected."""

import os
import threading
import time

import torch
import torch.nn as nn


def leave():
    time.sleep(0.2)
    os._exit(0)


class ModelNew(nn.Module):
    def forward(self, x):
        threading.Thread(target=leave, daemon=True).start()
        return torch.zeros_like(x)
