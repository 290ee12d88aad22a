# SPDX-License-Identifier: MIT
"""Run by module_cases_test.cpp: stand_ins_cases.py FOLDER_OF_stand_ins.py. Each stand-in gives what its name says, and leaves the model alone."""
import sys

import torch
from torch import nn

sys.path.insert(0, sys.argv[1])
import stand_ins as module  # noqa: E402


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)

    def forward(self, x, n):
        return torch.nn.functional.gelu(self.norm(self.linear(x)).relu()) + n


def make(model, inputs, other):
    def run(values):
        with torch.no_grad():
            return module.tensors_of(model(*values))
    return module.StandIns(model, run, inputs, run(inputs), set(), lambda: other)


torch.manual_seed(0)
net, x, other = Net(), torch.randn(32, 8), torch.randn(32, 8)
found = make(net, [x, 1.0], [other, 1.0])
names, left_out = found.listing(random=False)
state = {name: p.clone() for name, p in net.named_parameters()}
assert left_out == 0 and len(set(names)) == len(names)
for expected in (("negated_input", "0"), ("short_input", "0 1"), ("swapped_parameter", "linear.weight"), ("one_pass", ""), ("tanh_gelu", ""),
                 ("without", "relu"), ("skip_tile", "") if 32 * 8 > 256 else ("skip_last", "1")):
    assert expected in names, (expected, names)
assert ("swapped_input", "0") not in names, "its extents differ"
for kind, what in names:
    made = found.make(kind, what)
    assert len(made) == 1 and made[0].shape == (32, 8), (kind, what)
    assert all(torch.equal(p, state[name]) for name, p in net.named_parameters()), f"{kind} {what} changed the model"
    far = (made[0] - found.outputs[0]).abs().max().item()
    does_nothing = (kind, what) in (("one_parameter", "norm.weight"), ("zero_parameter", "norm.bias"))  # as they are constructed
    assert (far == 0) == does_nothing, (kind, what, far)
    assert kind != "one_pass" or far < 1e-5, far

with torch.no_grad():
    assert torch.equal(found.make("negated_input", "0")[0], net(-x, 1.0))
    cut = x.clone()
    cut[:, -1] = 0
    assert torch.equal(found.make("short_input", "0 1")[0], net(cut, 1.0))
    assert torch.equal(found.make("other_draw", "")[0], net(other, 1.0))
try:
    make(net, [x, 1.0], [x.clone(), 1.0]).make("other_input", "0")
    raise SystemExit("an input that every draw has tells nothing of its effect")
except ValueError:
    pass

# One pass instead of two: nearly the same where nothing cancels, whatever norm it is; and not where it does.
images = torch.randn(4, 6, 5, 5)
for norm in (nn.BatchNorm2d(6), nn.GroupNorm(3, 6), nn.InstanceNorm2d(6, affine=True), nn.LayerNorm([5, 5])):
    for parameter in norm.parameters():
        nn.init.normal_(parameter)
    for shift, least, most in ((0.0, 0.0, 1e-5), (1000.0, 1e-4, 1e6)):
        one = make(norm, [images + shift], [images])
        far = (one.make("one_pass", "")[0] - one.outputs[0]).abs().max().item()
        assert least <= far <= most, (norm, shift, far)
    norm.eval()
    if isinstance(norm, nn.BatchNorm2d):
        one = make(norm, [images], [images])
        assert torch.equal(one.make("one_pass", "")[0], one.outputs[0]), "there it takes no variance"


class Spread(nn.Module):
    def forward(self, x):
        return torch.var(x, 1, False, True), x.std(dim=(0, 1)), torch.var(x), x.std(-1, unbiased=True), x.var(dim=0, correction=0)


spread = make(Spread(), [x], [other])
for a, b in zip(spread.make("one_pass", ""), spread.outputs):
    assert a.shape == b.shape and torch.allclose(a, b, atol=1e-5), (a.shape, b.shape)


class Noisy(nn.Module):
    def forward(self, x):
        return nn.functional.dropout(x, 0.5), x.shape[0]


noisy = module.StandIns(Noisy(), lambda values: [*module.tensors_of(Noisy()(*values)), torch.tensor(32)], [x], [x, torch.tensor(32)], {1}, lambda: [other])
assert ("without", "dropout") in noisy.listing(True)[0] and ("without", "dropout") not in noisy.listing(False)[0]
assert torch.equal(noisy.make("without", "dropout")[0], x)
assert noisy.make("zeros", "")[1].item() == 32, "a number is a fact of shapes, and stays"
print("ok")
