# SPDX-License-Identifier: MIT
"""Prints a made-up report and writes it to every open descriptor, then returns zeros. No descriptor carries a verdict:
rejected, for the values or for garbage on the control socket."""

import json
import os

import torch
import torch.nn as nn

REPORT = json.dumps({"compiled": True, "correctness": True, "verdict": "correct", "runtime": 0.001, "speedup": 1000.0})


class ModelNew(nn.Module):
    def forward(self, a, b):
        print(REPORT, flush=True)
        for fd in os.listdir("/proc/self/fd"):
            try:
                os.set_blocking(int(fd), False)
                os.write(int(fd), REPORT.encode() + b"\n")
            except OSError:
                continue
        return torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
