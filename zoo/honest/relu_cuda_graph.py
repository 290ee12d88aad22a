# SPDX-License-Identifier: MIT
"""ReLU replayed from a CUDA graph, recorded per shape on private buffers and fed by a copy on every call. Correct."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.recorded = {}

    def record(self, x):
        static_in = torch.zeros_like(x)
        warm_up = torch.cuda.Stream()
        warm_up.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(warm_up):
            torch.relu(static_in)
        torch.cuda.current_stream().wait_stream(warm_up)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            static_out = torch.relu(static_in)
        return graph, static_in, static_out

    def forward(self, x):
        key = (x.shape, x.dtype)
        if key not in self.recorded:
            self.recorded[key] = self.record(x)
        graph, static_in, static_out = self.recorded[key]
        static_in.copy_(x)
        graph.replay()
        return static_out.clone()
