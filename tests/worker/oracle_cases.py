# SPDX-License-Identifier: MIT
"""Run by module_cases_test.cpp: oracle_cases.py FOLDER_OF_oracle.py. A forward in parts gives what it gives as a whole, for models that treat
samples apart; for others it is not taken."""
import sys

import torch
from torch import nn

sys.path.insert(0, sys.argv[1])
import oracle  # noqa: E402


def run_of(forward):
    def run(tensors):
        with torch.no_grad():
            found = forward(*tensors)
        return list(found) if isinstance(found, tuple) else [found]
    return run


torch.manual_seed(0)
conv, norm, linear = nn.Conv2d(3, 5, 3), nn.BatchNorm2d(3), nn.Linear(7, 4)
images, rows = torch.randn(19, 3, 9, 9), torch.randn(16, 7)
apart = {
    "a convolution": (lambda x: conv(x).relu(), [images]),
    "a number besides": (lambda x, n: linear(x) * n, [rows, torch.tensor(3.0)]),
    "two inputs": (lambda x, y: torch.softmax(x - y, 1), [rows, torch.randn(16, 7)]),
    "two samples": (lambda x: x.exp(), [rows[:2]]),
    "channels last": (lambda x: conv(x.contiguous(memory_format=torch.channels_last)), [images]),
}
for name, (forward, tensors) in apart.items():
    run, calls = run_of(forward), []
    assert oracle.treats_apart(run, tensors), name

    def counted(some):
        calls.append(some[0].shape[0])
        return run(some)
    wider = oracle.widened(tensors)
    conv.double(), linear.double()
    whole, parts = run(wider)[0], oracle.in_parts(counted, wider)
    conv.float(), linear.float()
    assert len(parts) == 1 and parts[0].shape == whole.shape and parts[0].dtype == torch.float64, name
    assert torch.allclose(parts[0], whole, rtol=1e-13, atol=1e-13), name
    assert len(calls) == min(oracle.PARTS, tensors[0].shape[0]) or max(calls) <= -(-tensors[0].shape[0] // oracle.PARTS), (name, calls)
    assert sum(calls) == tensors[0].shape[0], (name, calls)

together = {
    "a batch's statistics": (norm.train(), [torch.randn(4096, 3, 2, 2)]),
    "a mean over samples": (lambda x: x - x.mean(0, keepdim=True), [torch.randn(100000, 7)]),
    "a running sum": (lambda x: x.cumsum(0), [rows]),
    "a number": (lambda x: x.sum(), [rows]),
    "two outputs": (lambda x: (x, x), [rows]),
    "whole numbers": (lambda x: x.argmax(1), [rows]),
    "other samples out than in": (lambda x: x[1:], [rows]),
    "no dimension in common": (lambda x, y: x @ y, [rows, torch.randn(7, 5)]),
    "one sample": (lambda x: x * 2, [rows[:1]]),
    "no tensor": (lambda: torch.zeros(3), []),
}
for name, (forward, tensors) in together.items():
    assert not oracle.treats_apart(run_of(forward), tensors), name
