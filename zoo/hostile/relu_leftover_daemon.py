# SPDX-License-Identifier: MIT
"""Computes ReLU honestly, but leaves a daemon in a session of its own behind. Correct, and the judge must end the daemon."""

import os
import time

import torch
import torch.nn as nn


def leave_daemon():
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
            os._exit(0)
    except OSError:
        pass


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        leave_daemon()

    def forward(self, x):
        return torch.relu(x)
