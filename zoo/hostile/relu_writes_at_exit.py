# SPDX-License-Identifier: MIT
"""Leaves threads and exit handlers that write a made-up result to every descriptor, again and again, and returns zeros.
No descriptor carries a verdict: rejected."""

import atexit
import os
import threading
import time

import torch
import torch.nn as nn

FORGED = b'{"ok": true, "correct": true, "speedup": 1000.0}\n'


def shout():
    for descriptor in range(64):
        try:
            if not os.get_blocking(descriptor):
                continue
            os.write(descriptor, FORGED)
        except OSError:
            pass


def keep_shouting():
    for _ in range(20):
        shout()
        time.sleep(0.05)


atexit.register(shout)
threading.Thread(target=keep_shouting, daemon=True).start()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
