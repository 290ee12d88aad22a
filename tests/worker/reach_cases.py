# SPDX-License-Identifier: MIT
"""Run by module_cases_test.cpp: reach_cases.py FOLDER_OF_reach.py. An activation that idles is found, and brought to life where biases can do that."""
import copy
import sys

import torch
from torch import nn

sys.path.insert(0, sys.argv[1])
import reach  # noqa: E402
import stand_ins  # noqa: E402
import vary  # noqa: E402

functional = nn.functional


class Net(nn.Module):
    def __init__(self, after, bias=True):
        super().__init__()
        self.linear, self.after = nn.Linear(64, 1024, bias=bias), after

    def forward(self, x):
        return self.after(self.linear(x))


def searched(after, bias=True):
    torch.manual_seed(0)
    model, x = Net(after, bias), torch.rand(16, 64)
    before = {name: p.clone() for name, p in model.named_parameters()}
    looks = []

    def make_shifts():
        clone = copy.deepcopy(model)
        return vary.bias_shifts(clone, [x], lambda values: clone(*values))

    def make_run(of):
        looks.append(of)
        return lambda: of(x)
    with torch.no_grad():
        found = reach.multiple(model, dict(model.named_parameters()), make_shifts, 7, make_run, vary, stand_ins)
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters()), "the model was changed"
    return found, len(looks)


def summed(y):
    return torch.logsumexp(y, 1)


# What P1, P+ or P- reaches costs no search; one forward tells where P1 does.
assert searched(lambda y: y) == (0, 1)
assert searched(functional.relu) == (0, 1)
assert searched(lambda y: functional.relu(y, inplace=True)) == (0, 1)
assert searched(lambda y: torch.relu_(y)) == (0, 1)
assert searched(lambda y: functional.leaky_relu(y.amax(1)))[0] == 0, "P- brings the largest of a thousand below zero"

# The log of a thousand is 7: out of P-'s reach, but not of every shift.
found, looks = searched(lambda y: functional.leaky_relu(summed(y)))
assert found < -3 and looks <= 15, (found, looks)
assert searched(lambda y: functional.leaky_relu(summed(y), 0.01, True))[0] == found, "in place is no other"
assert searched(lambda y: functional.gelu(functional.leaky_relu(summed(y))))[0] <= found
assert searched(lambda y: y.clamp(max=20))[0] > 8, "upwards"

# Nothing reaches a ReLU behind a ReLU or a sigmoid, nor anything where there is no bias.
assert searched(lambda y: functional.relu(functional.relu(y)))[0] == 0
assert searched(lambda y: functional.leaky_relu(torch.sigmoid(y)))[0] == 0
assert searched(lambda y: functional.leaky_relu(summed(y)), bias=False) == (0, 1)
# A shift under which the output is not finite is no use.
assert searched(lambda y: torch.sqrt(functional.leaky_relu(summed(y))))[0] == 0
