# SPDX-License-Identifier: MIT
"""Replaces the functions that a worker needs to talk to its judge (struct, json, socket, print), then returns zeros.
Rejected, for the values or for garbage on the control socket."""

import builtins
import json
import socket
import struct

import torch
import torch.nn as nn

true_pack = struct.pack

struct.pack = lambda layout, *values: bytes(len(true_pack(layout, *values)))
json.dumps = lambda *args, **kwargs: '{"verdict": "correct"}'
socket.socket.sendall = lambda self, data, *args: None
builtins.print = lambda *args, **kwargs: None


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
