# SPDX-License-Identifier: MIT
"""Leaves daemons in sessions of their own that ignore every signal, then never returns. The time limit ends it and all
of them."""

import os
import signal
import time

import torch
import torch.nn as nn


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 65):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            while True:
                time.sleep(1)
        os._exit(0)


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(4):
            daemon()
        while True:
            time.sleep(1)
