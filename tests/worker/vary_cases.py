# SPDX-License-Identifier: MIT
"""Cases for src/worker/vary.py: references and candidates that keep their parameters in ways of their own.

Run as `python vary_cases.py PATH_TO_src/worker`; exit code 0 and OK: all is as it should be.
"""
import copy
import math
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.insert(0, sys.argv[1])
import vary  # noqa: E402

N = 8


class Result:
    pass


def seeded(make, *args):
    torch.manual_seed(5)
    return make(*args)


def entries_of(make, regime="P1", seed=7):
    """The reference, the same with other parameters, and the entries in order."""
    model = seeded(make)
    old = {name: p.detach().clone() for name, p in model.named_parameters()}
    new = vary.perturb(old, seed, regime)
    entries = vary.in_order([(name, old[name], new[name]) for name in new], lambda: seeded(make))
    changed = copy.deepcopy(model)
    with torch.no_grad():
        for name, p in changed.named_parameters():
            p.copy_(new[name])
    return model, changed, entries


def forward(model, x):
    torch.manual_seed(9)
    with torch.no_grad():
        y = model(x)
    return y[0] if isinstance(y, tuple) else y


def close(a, b, tolerance=1e-5):
    return torch.allclose(a.float(), b.float(), rtol=tolerance, atol=tolerance * max(1.0, b.float().abs().max().item()))


def tried(make, candidate, x, tolerance=1e-5):
    """All channels on one pair: what they say, and whether outputs are those of the changed reference."""
    model, changed, entries = entries_of(make)
    want, r = forward(changed, x), Result()
    assert close(forward(seeded(candidate), x), forward(model, x), tolerance), "the candidate is wrong to begin with"
    assert not close(forward(model, x), want, 1e-3), "the change is not seen in the output"
    plain = seeded(candidate)
    after_plain = torch.get_rng_state()
    with vary.Substitution(entries) as substitution:
        built = seeded(candidate)
    assert torch.equal(torch.get_rng_state(), after_plain), "the random stream is not the same"
    r.a, r.names = substitution.delivered, {name for name, _, _ in entries}
    r.a_alone = close(forward(copy.deepcopy(built), x), want, tolerance)
    r.after_a = vary.match(built, entries, r.a)
    r.ac_right, r.held = close(forward(built, x), want, tolerance), vary.holds(built, entries)
    r.c = vary.match(plain, entries)
    r.c_right = close(forward(plain, x), want, tolerance)
    plain = seeded(candidate)
    r.b, r.why = vary.load(plain, {name: new for name, _, new in entries})
    r.b_right = close(forward(plain, x), want, tolerance)
    r.all_a, r.all_c, r.all_ac = set(r.a) == r.names, set(r.c) == r.names, set(r.a) | set(r.after_a) == r.names
    return r


def check(condition, r, text=""):
    assert condition, f"{text} {vars(r)}"


def module(constructor, forward_of, **attributes):
    """A module class of a few lines."""
    def init(self):
        nn.Module.__init__(self)
        constructor(self)
    return type("Made", (nn.Module,), {"__init__": init, "forward": forward_of, **attributes})


def wrap(make, call=lambda layer, x: layer(x)):
    return module(lambda self: setattr(self, "layer", make()), lambda self, x: call(self.layer, x))


# Candidates like the reference: every channel but for ambiguities of C must be right.
def test_library_modules():
    x = torch.randn(4, N, 6, 6, generator=torch.Generator().manual_seed(1))
    rows, steps = x[:, :, 0, 0].contiguous(), x[:, :, :, 0].transpose(1, 2).contiguous()
    cases = {
        "Linear": (lambda: nn.Linear(N, N), rows), "Conv2d": (lambda: nn.Conv2d(N, N, 3), x),
        "ConvTranspose2d": (lambda: nn.ConvTranspose2d(N, 4, 3), x), "GroupNorm": (lambda: nn.GroupNorm(2, N), x),
        "BatchNorm2d": (lambda: nn.BatchNorm2d(N), x), "LayerNorm": (lambda: nn.LayerNorm(N), rows), "PReLU": (nn.PReLU, x),
        "MultiheadAttention": (lambda: nn.MultiheadAttention(N, 2, batch_first=True), steps),
        "GRU": (lambda: nn.GRU(N, 5, num_layers=2, batch_first=True, bidirectional=True), steps),
        "LSTM": (lambda: nn.LSTM(N, 5, batch_first=True), steps),
        "Embedding": (lambda: nn.Embedding(10, N), torch.arange(10)),
        "padded Embedding": (lambda: nn.Embedding(10, N, padding_idx=3), torch.arange(10)),
        "Encoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(N, 2, 16, 0.0, batch_first=True), 3), steps),
        "norms": (lambda: nn.Sequential(nn.BatchNorm2d(N), nn.ReLU(), nn.GroupNorm(2, N), nn.Conv2d(N, N, 1), nn.BatchNorm2d(N)), x),
    }
    for name, (make, inputs) in cases.items():
        attention = name == "MultiheadAttention"
        make = wrap(make, (lambda layer, x: layer(x, x, x)) if attention else (lambda layer, x: layer(x)))
        r = tried(make, make, inputs)
        check(r.b and r.b_right and r.all_ac and r.ac_right and r.all_c and r.c_right and set(r.held) == r.names, r, name)
        check(name == "Encoder" or r.all_a and r.a_alone, r, name)  # whose layers are copies


def explicit(self):
    self.linear = nn.Linear(N, N)
    self.norm1, self.norm2 = nn.GroupNorm(2, N), nn.GroupNorm(2, N)
    self.weight = nn.Parameter(torch.ones(N))  # after the norms, but before them in named_parameters()
    self.bias = nn.Parameter(torch.zeros(N))
    self.gain = nn.Parameter(torch.randn(N) * 0.02)
    self.temperature = nn.Parameter(torch.tensor(2.0))
    self.layer_scale = nn.Parameter(1e-1 * torch.ones(N))
    self.register_buffer("mask", torch.ones(N, dtype=torch.bool))
    self.register_buffer("steps", torch.zeros(N))
    self.register_buffer("count", torch.zeros((), dtype=torch.long))


def explicit_forward(self, x):
    y = self.norm2(torch.relu(self.norm1(self.linear(x)))) * self.weight + self.bias
    return (y / self.temperature + self.gain * x * self.mask) * self.layer_scale + x + self.steps


Explicit = module(explicit, explicit_forward)


def test_explicit_parameters():
    x = torch.randn(16, N, generator=torch.Generator().manual_seed(1))
    r = tried(Explicit, Explicit, x)
    check(r.all_a and r.a_alone and r.b and r.b_right and r.all_c and r.c_right and not r.after_a, r)

    class Unnamed(nn.Module):
        """Other names, workspaces of zeros and ones first, transposed and folded in the constructor."""
        def __init__(self):
            super().__init__()
            self.workspace, self.one = torch.zeros(N), torch.ones(N)
            linear = nn.Linear(N, N)
            self.wt, self.b = linear.weight.detach().t().contiguous(), linear.bias.detach().clone()
            self.g1, self.b1 = nn.Parameter(torch.ones(N)), nn.Parameter(torch.zeros(N))
            self.g2, self.b2 = nn.Parameter(torch.ones(N)), nn.Parameter(torch.zeros(N))
            g, b = nn.Parameter(torch.ones(N)), nn.Parameter(torch.zeros(N))
            gain, temperature = torch.randn(N) * 0.02, nn.Parameter(torch.tensor(2.0)).item()
            scale = nn.Parameter(torch.ones(N) * 0.1).detach()
            self.mul, self.add, self.res = (g / temperature * scale).detach(), (b / temperature * scale).detach(), gain * scale + 1

        def forward(self, x):
            y = torch.relu(F.group_norm(torch.addmm(self.b, x, self.wt), 2, self.g1, self.b1))
            return F.group_norm(y, 2, self.g2, self.b2) * self.mul * self.one + self.add + self.res * x + self.workspace
    r = tried(Explicit, Unnamed, x)
    check(r.all_a and r.a_alone and r.ac_right and not r.b and not r.c_right and not r.after_a, r)
    check({"gain", "weight", "temperature", "layer_scale", "bias"}.isdisjoint(r.held) and "linear.weight" in r.held, r)


Scaled = module(lambda self: (setattr(self, "linear", nn.Linear(N, N)), setattr(self, "scale", nn.Parameter(0.5 + torch.rand(N)))),
                lambda self, x: self.linear(x) * self.scale)
X = torch.randn(16, N, generator=torch.Generator().manual_seed(1))


def linear_and_scale(self):
    linear = nn.Linear(N, N)
    return linear, nn.Parameter(0.5 + torch.rand(N))


def test_prepared_weights():
    def prepared(self):
        explicit_linear, self.scale = linear_and_scale(self)
        self.linear = explicit_linear
        self.wt = explicit_linear.weight.detach().t().contiguous()
    r = tried(Scaled, module(prepared, lambda self, x: torch.addmm(self.linear.bias, x, self.wt) * self.scale), X)
    check(r.all_a and r.a_alone and r.b and not r.b_right and r.all_c and r.c_right, r)

    def unregistered(self):
        linear, scale = linear_and_scale(self)
        self.parts = {"w": linear.weight.detach().t(), "b": [1, linear.bias.data]}
        self.also = (scale.detach().view(1, N).half().float(), scale.detach().double().view(N, 1), linear.bias)
    r = tried(Scaled, module(unregistered, lambda self, x: torch.addmm(self.also[2], x, self.parts["w"]) * self.also[1].t().float()), X)
    check(r.all_a and r.a_alone and not r.b and r.all_c and r.c_right and set(r.held) == r.names, r)

    def modules_in_a_list(self):
        linear, scale = linear_and_scale(self)
        self.kept = [linear, scale]
    r = tried(Scaled, module(modules_in_a_list, lambda self, x: self.kept[0](x) * self.kept[1]), X)
    check(r.all_a and r.a_alone and not r.b and "no linear.weight" in r.why and r.all_c and r.c_right, r)

    def halves(self):
        linear, scale = linear_and_scale(self)
        self.w, self.b, self.s = linear.weight.detach().half(), linear.bias.detach().half(), scale.detach().half()
    r = tried(Scaled, module(halves, lambda self, x: F.linear(x, self.w.float(), self.b.float()) * self.s.float()), X, 2e-3)
    check(r.all_a and r.a_alone and r.all_c and r.c_right and set(r.held) == r.names, r)


def test_folded_in_the_constructor():
    def folded(self):
        linear, scale = linear_and_scale(self)
        self.w, self.b = (linear.weight * scale[:, None]).detach(), (linear.bias * scale).detach()
    r = tried(Scaled, module(folded, lambda self, x: F.linear(x, self.w, self.b)), X)
    check(r.all_a and r.a_alone and not r.after_a and not r.held and not r.c and not r.c_right and not r.b, r)

    def in_place(self):
        self.linear, scale = linear_and_scale(self)
        self.linear.weight.data.mul_(scale.data[:, None])
        with torch.no_grad():
            self.linear.bias.copy_(self.linear.bias * scale)
    r = tried(Scaled, module(in_place, lambda self, x: self.linear(x)), X)
    check(r.all_a and r.a_alone and not r.after_a and not r.c_right, r)

    def number(self):
        self.scale = nn.Parameter(torch.ones(1)).item() if self.one else nn.Parameter(torch.rand(1)).item()
    for one in (True, False):
        reference = module(lambda self: setattr(self, "scale", nn.Parameter(torch.ones(1) if one else torch.rand(1))),
                           lambda self, x: x * self.scale)
        r = tried(reference, module(number, lambda self, x: x * self.scale, one=one), X)
        check(r.all_a and r.a_alone and not r.c and not r.b, r)


def test_buffers_and_ones_that_ignore():
    norm = wrap(lambda: nn.GroupNorm(2, N))

    def buffers(self):
        self.register_buffer("gamma", torch.ones(N))
        self.register_buffer("beta", torch.zeros(N))
    r = tried(norm, module(buffers, lambda self, x: F.group_norm(x, 2, self.gamma, self.beta)), X)
    check(not r.a and set(r.after_a) == r.names and r.ac_right and r.c_right and not r.b, r)

    def same_names(self):
        self.register_buffer("bias", torch.zeros(N))
        self.register_buffer("weight", torch.ones(N))
        self.folded = self.weight * 2 + self.bias
    r = tried(norm, module(same_names, lambda self, x: F.group_norm(x, 2) * (self.folded - self.bias) / 2 + self.bias), X)
    check(r.all_a and r.a_alone, r)
    r = tried(norm, module(lambda self: None, lambda self, x: F.group_norm(x, 2)), X)
    check(not r.a and not r.after_a and not r.ac_right and not r.c and not r.held and not r.b, r)

    def half_ignored(self):
        self.linear = nn.Linear(N, N)
        self.wasted = nn.Linear(N, N)
    reference = module(lambda self: (half_ignored(self), setattr(self, "norm", nn.LayerNorm(N))), lambda self, x: self.norm(self.linear(x)))
    r = tried(reference, module(half_ignored, lambda self, x: F.layer_norm(self.linear(x), (N,))), X)
    check(set(r.a) | set(r.after_a) == r.names - {"norm.weight", "norm.bias"} and not r.ac_right and not r.b and not r.c_right, r)


def test_dummies_and_ties():
    def dummy(self):
        explicit(self)
        self.first, self.last = nn.Parameter(torch.ones(N)), nn.Parameter(torch.zeros(N))
    r = tried(Explicit, module(dummy, lambda self, x: explicit_forward(self, x) * self.first + self.last), X)
    check(r.all_a and r.a_alone and not r.b and "besides, first" in r.why and r.all_c and r.c_right, r)

    def early(self):
        self.spare = nn.Parameter(torch.zeros(3))
        explicit(self)
    r = tried(Explicit, module(early, explicit_forward), X)
    check(r.all_a and r.a_alone and not r.b, r)

    def tied(self):
        self.a, self.b = nn.Linear(N, N, bias=False), nn.Linear(N, N, bias=False)
        self.b.weight = self.a.weight

    def tied_the_other_way(self):
        self.z, self.a = nn.Linear(N, N, bias=False), nn.Linear(N, N, bias=False)
        self.a.weight = self.z.weight
    reference = module(tied, lambda self, x: torch.relu(self.a(x)) @ self.b.weight)
    r = tried(reference, reference, X)
    check(r.all_a and r.a_alone and r.b and r.b_right and r.all_c and r.c_right, r)
    r = tried(reference, module(tied_the_other_way, lambda self, x: torch.relu(self.a(x)) @ self.z.weight), X)
    check(r.all_a and r.a_alone and r.b and r.b_right and r.all_c and r.c_right, r)


def test_fused():
    def apart(self):
        self.q, self.k, self.v = (nn.Linear(N, N) for _ in range(3))
        for layer in (self.q, self.k, self.v):
            nn.init.zeros_(layer.bias)
    reference = module(apart, lambda self, x: self.q(x) * torch.relu(self.k(x)) + self.v(x))

    def run(self, x):
        q, k, v = F.linear(x, self.w, self.b).chunk(3, 1)
        return q * torch.relu(k) + v

    def together(self):
        apart(self)
        self.w = nn.Parameter(torch.cat([self.q.weight, self.k.weight, self.v.weight]).detach())
        self.b = nn.Parameter(torch.cat([self.q.bias, self.k.bias, self.v.bias]).detach())
        del self.q, self.k, self.v
    r = tried(reference, module(together, run), X)
    check(r.all_a and r.a_alone and not r.after_a and r.all_c and r.c_right and set(r.held) == r.names and not r.b, r)

    def across(self):
        together(self)
        w, b = self.w, self.b
        del self.w, self.b
        self.wt, self.b = w.detach().t().contiguous(), b.detach().reshape(3, N)

    def run_across(self, x):
        q, k, v = (x @ self.wt + self.b.flatten()).chunk(3, 1)
        return q * torch.relu(k) + v
    r = tried(reference, module(across, run_across), X)
    check(r.all_a and r.a_alone and r.all_c and r.c_right and set(r.held) == r.names, r)

    def filled(self):  # in one tensor from the start, part by part
        self.w, self.b = nn.Parameter(torch.empty(3 * N, N)), nn.Parameter(torch.empty(3 * N))
        for i in range(3):
            nn.init.kaiming_uniform_(self.w[i * N:(i + 1) * N], a=math.sqrt(5))
            nn.init.uniform_(torch.empty(N))
        nn.init.zeros_(self.b)
    r = tried(reference, module(filled, run), X)
    check({"q.weight", "k.weight", "v.weight"} == set(r.a) and r.all_ac and r.ac_right and r.all_c and r.c_right, r)


def test_steps_on_the_way():
    """Zeros and ones that do not stay so, some in a reference's own constructor."""
    def steps(self):
        self.norm = nn.LayerNorm(N)
        self.gate = nn.Parameter(torch.zeros(N))
        with torch.no_grad():
            self.gate[2:4].fill_(1)
        self.small = nn.Parameter(torch.ones(N))
        self.small.data.mul_(0.5)
        self.eye = nn.Parameter(torch.zeros(N, N))
        self.zero = nn.Parameter(torch.empty(N, N))
        nn.init.zeros_(self.zero)
        nn.init.eye_(self.eye)
        self.dirac = nn.Conv1d(N, N, 3, padding=1)
        nn.init.dirac_(self.dirac.weight)
        self.late = nn.Linear(N, N)
        nn.init.constant_(self.late.bias, 0.0)
        nn.init.trunc_normal_(self.late.weight, std=0.02)
        self.square = nn.Parameter(torch.empty(N, N))
        nn.init.orthogonal_(self.square)

    def run(self, x):
        y = self.norm(x) * self.gate + self.small * x
        y = y @ self.eye + self.late(x @ self.zero + y @ self.square)
        return y + self.dirac(y.t()[None])[0].t()
    reference = module(steps, run)
    r = tried(reference, reference, X)
    check(r.all_a and r.a_alone and not r.after_a and r.b_right and r.all_c and r.c_right, r)

    def twice(self):  # what was given to a module that is replaced
        steps(self)
        self.norm = nn.LayerNorm(N)
        self.gate = nn.Parameter(self.gate.detach().clone())
    r = tried(reference, module(twice, run), X)
    check(r.all_ac and r.ac_right and r.c_right, r)

    def block(self):  # parameters that are read before the next ones are made
        self.norm = nn.LayerNorm(N)
        self.q_bias, self.v_bias = nn.Parameter(torch.zeros(N)), nn.Parameter(torch.zeros(N))
        self.norm.apply(lambda _: self.q_bias.sum() + self.v_bias.detach().sum())
        nn.init.constant_(self.norm.bias, 0)
        nn.init.constant_(self.norm.weight, 0)
    block = module(block, lambda self, x: self.norm(x * (1 + self.q_bias)) + x + self.v_bias)
    blocks = wrap(lambda: nn.Sequential(block(), block(), block()))
    r = tried(blocks, blocks, X)
    check(r.all_a and r.a_alone and r.c_right, r)

    def thrown_away(self):
        nn.LayerNorm(N)
        steps(self)
    r = tried(reference, module(thrown_away, run), X)
    check(r.all_a and r.ac_right and r.c_right, r)

    def renamed(self):
        beta = nn.Parameter(torch.empty(N))
        nn.init.zeros_(beta)
        gamma = nn.Parameter(torch.empty(N))
        nn.init.ones_(gamma)
        self.norm = nn.LayerNorm(N)
        self.gamma, self.beta = gamma, beta
    reference = module(renamed, lambda self, x: F.layer_norm(self.norm(x).relu(), (N,), self.gamma, self.beta))
    r = tried(reference, reference, X)
    check(r.all_a and r.a_alone, r)

    def memory_of_zeros(self):  # not written by any operator before they are registered
        import numpy
        self.beta, self.gamma = nn.Parameter(torch.from_numpy(numpy.zeros(N, "float32"))), nn.Parameter(torch.Tensor([1.0] * N))
        self.norm = nn.LayerNorm(N)
    try:
        r = tried(reference, module(memory_of_zeros, lambda self, x: F.layer_norm(self.norm(x).relu(), (N,), self.gamma, self.beta)), X)
        check(r.all_a and r.a_alone, r)
    except ImportError:
        pass


def test_copies_and_moves():
    def copies(self):
        self.a = nn.Sequential(nn.Linear(N, N), nn.LayerNorm(N))
        self.b = copy.deepcopy(self.a)
        self.c = nn.Linear(N, N)
        self.c.load_state_dict(self.a[0].state_dict())
        self.norm = nn.LayerNorm(N)
    reference = module(copies, lambda self, x: self.norm(self.c(self.b(torch.relu(self.a(x))))))
    r = tried(reference, reference, X)
    check(r.all_ac and r.ac_right and r.b_right and r.all_c and r.c_right, r)

    def moved(self):  # what was given lives on in a copy: it is not free for another
        explicit(self)
        self.double()
        self.extra = nn.Parameter(torch.ones(N, dtype=torch.float32))
    r = tried(Explicit, module(moved, lambda self, x: (explicit_forward(self, x.double()) * self.extra).float()), X)
    check(r.all_a and r.a_alone and r.c_right, r)
    if torch.cuda.is_available():
        inputs = X.cuda()
        _, changed, entries = entries_of(Explicit)

        def on_device(self):
            with torch.device("cuda"):
                self.norms = [nn.GroupNorm(2, N), nn.GroupNorm(2, N)]
            explicit_like = Explicit()
            self.inner = explicit_like.cuda()
        for make in (lambda: Explicit().cuda(), Explicit):
            with vary.Substitution(entries) as substitution:
                built = seeded(make)
            vary.match(built, entries, substitution.delivered)
            assert close(forward(built.cuda(), inputs), forward(changed.cuda(), inputs)), substitution.delivered
            plain = seeded(make).cuda()
            assert set(vary.match(plain, entries)) == {e[0] for e in entries} == set(vary.holds(plain, entries))
            assert close(forward(plain, inputs), forward(changed.cuda(), inputs))
        with vary.Substitution(entries), torch.device("cuda"):
            norm = nn.GroupNorm(2, N)
        assert torch.equal(norm.weight.cpu(), dict((e[0], e[2]) for e in entries)["norm1.weight"])


def test_statistics():
    """A norm's buffers, where they are given too, go to no parameter."""
    make = wrap(lambda: nn.Sequential(nn.BatchNorm2d(N), nn.BatchNorm2d(N)))
    model = seeded(make)
    old = {name: t.detach().clone() for name, t in (*model.named_parameters(), *model.named_buffers())}
    new = vary.perturb(old, 3, "P1")
    entries = vary.in_order([(name, old[name], new[name]) for name in new], lambda: seeded(make))
    with vary.Substitution(entries) as substitution:
        built = seeded(make)
    assert len(substitution.delivered) == 8 and all(torch.equal(built.state_dict()[name], new[name]) for name in new)

    def own(self):
        self.w1, self.b1, self.w2, self.b2 = (nn.Parameter(make(N)) for make in (torch.ones, torch.zeros) * 2)
        self.register_buffer("mean", torch.zeros(N))
    with vary.Substitution(entries) as substitution:
        built = seeded(module(own, None))
    assert torch.equal(built.w1, new["layer.0.weight"]) and torch.equal(built.b2, new["layer.1.bias"]) and not built.mean.any()


def test_no_harm():
    """Constructors that do odd things get what they would have got."""
    _, _, entries = entries_of(Explicit)

    def odd(self):
        self.norm = nn.GroupNorm(2, N)
        a = torch.zeros(N)
        a.resize_(4)
        a[:] = 1
        a.set_(torch.ones(N))
        torch._foreach_add_([a, torch.zeros(N)], 1.0)
        self.sparse = torch.eye(N).to_sparse()
        self.complex = torch.fft.fft(torch.ones(N))
        self.meta = nn.Linear(N, N, device="meta")
        self.wide = torch.ones(1).expand(N)
        self.empty = torch.zeros(0)
        with torch.inference_mode():
            self.inferred = nn.Parameter(torch.ones(N)).mul(2)
        self.compiled = torch.jit.script(nn.ReLU())
        b = torch.ones(N, requires_grad=True)
        (b * 2).sum().backward()
        self.grad = b.grad
        torch.zeros(N).copy_(torch.ones(N)).mul_(2).add_(1)
        try:
            torch.zeros(3) + torch.zeros(2)
        except RuntimeError as error:
            self.error = str(error)
    made = module(odd, lambda self, x: x)
    with vary.Substitution(entries) as substitution:
        built = seeded(made)
    plain = seeded(made)
    assert "must match" in built.error and torch.equal(built.grad, plain.grad) and torch.equal(built.wide, plain.wide)
    assert torch.equal(built.complex, plain.complex) and torch.equal(built.sparse.to_dense(), plain.sparse.to_dense())
    vary.match(built, entries, substitution.delivered)
    vary.holds(built, entries)

    def failing(self):
        raise KeyError("mine")
    try:
        with vary.Substitution(entries):
            module(failing, None)()
        raise AssertionError("the error is lost")
    except KeyError as error:
        assert error.args == ("mine",)
    before = len(torch.nn.modules.module._global_parameter_registration_hooks)
    assert before == 0, "hooks are left"
    assert vary.load(nn.Linear(N, N), {"weight": torch.ones(N, 1), "bias": torch.ones(N)}) == (False, "weight has shape [8, 8], not [8, 1]")

    class Unloadable(nn.Linear):
        def state_dict(self, *args, **kwargs):
            raise ValueError("no\nstate")
    assert vary.load(Unloadable(N, N), {}) == (False, "ValueError: no state")


def test_perturb():
    torch.manual_seed(3)
    state = torch.get_rng_state()
    p = {"w": torch.randn(50, 40) * 0.02, "gamma": torch.ones(4000), "beta": torch.zeros(4000), "t": torch.tensor(2.0),
         "one": torch.ones(1), "zero": torch.zeros(()), "layer_scale": torch.full((4000,), 1e-6),
         "h": torch.randn(9).half(), "d": torch.randn(9).double(), "i": torch.arange(3), "running_var": torch.ones(100),
         "x.bias_ih_l0": torch.randn(9) * 0.1, "none": torch.zeros(0),
         "mask": torch.tensor([0.5, float("-inf")]), "broadcast": torch.zeros(1, 5, 1), "matrix": torch.zeros(5, 5)}
    torch.set_rng_state(state)
    new = vary.perturb(p, 11, "P1")
    assert torch.equal(torch.get_rng_state(), state), "the global generator was used"
    again, other = vary.perturb(p, 11, "P1"), vary.perturb(p, 12, "P1")
    assert list(new) == [name for name in p if name != "i"]
    for name, value in new.items():
        assert torch.equal(value, again[name]) and value.dtype == p[name].dtype and value.shape == p[name].shape, name
        assert value.numel() == 0 or not torch.equal(value, p[name]) and not torch.equal(value, other[name]), name
        assert name == "mask" or bool(torch.isfinite(value).all()), name
    assert 0.22 < (new["gamma"] < 0).float().mean() < 0.28 and 0.5 <= new["gamma"].abs().min() and new["gamma"].abs().max() <= 1.5
    assert 0.45 < new["beta"].std() < 0.55 and new["mask"][1] == float("-inf")
    assert 0.4e-6 < new["layer_scale"].abs().min() and new["running_var"].min() >= 0.5
    for seed in range(200):
        one = vary.perturb({name: p[name] for name in ("t", "one", "zero")}, seed, "P1")
        assert 1 <= one["t"] <= 1.5 or 2.5 <= one["t"] <= 3
        assert 0.5 <= abs(one["zero"].item()) <= 1.5 and abs(one["one"].item() - 1) >= 0.25 and abs(one["one"].item()) >= 0.5
    plus, minus = vary.perturb(p, 11, "P+", {"beta": 3.0}), vary.perturb(p, 11, "P-", {"beta": 3.0})
    shifted = {name for name in new if not torch.equal(plus[name], new[name])}
    assert shifted == {"beta", "zero", "x.bias_ih_l0", "broadcast"}, shifted
    assert torch.allclose(plus["beta"], new["beta"] + vary.SHIFTS["P+"] * 3, atol=1e-5) and torch.allclose(minus["beta"], new["beta"] + vary.SHIFTS["P-"] * 3, atol=1e-5)
    reached = vary.perturb(p, 11, "PR", {"beta": 3.0}, -48)
    assert torch.allclose(reached["beta"], new["beta"] - 48 * 3, atol=1e-4) and torch.equal(reached["gamma"], new["gamma"])
    whole = vary.perturb({"w": torch.randn(64, 32) * 0.1, "b": torch.zeros(64)}, 11, "PI")
    assert set((whole["w"] * 16).flatten().tolist()) == {-2.0, -1.0, 0.0, 1.0, 2.0} and bool((whole["b"] * 8 == (whole["b"] * 8).round()).all())
    try:
        vary.perturb(p, 1, "P2")
        raise AssertionError("a regime that does not exist")
    except ValueError:
        pass


def test_bias_shifts():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.rnn, self.attention = nn.Linear(N, N), nn.GRU(N, N), nn.MultiheadAttention(N, 2)
            self.bias, self.unused = nn.Parameter(torch.zeros(N)), nn.Linear(N, N)

        def forward(self, x):
            y, _ = self.rnn(self.linear(x))
            return self.attention(y, y, y)[0] * 10 + self.bias
    model = seeded(Model)
    seen = {}
    model.linear.register_forward_hook(lambda _m, _i, o: seen.update(linear=o))
    with torch.no_grad():
        output = model(X)
        found = vary.bias_shifts(model, [X], lambda inputs: model(*inputs))
    assert set(found) == {name for name, _ in model.named_parameters() if "bias" in name}, found
    rms = lambda t: t.square().mean().sqrt().item()  # noqa: E731
    assert math.isclose(found["bias"], rms(output), rel_tol=1e-4)
    assert math.isclose(found["linear.bias"], rms(seen["linear"]), rel_tol=1e-4)
    assert math.isclose(found["attention.out_proj.bias"], 0.1 * rms(output), rel_tol=1e-4) and found["unused.bias"] == found["bias"]
    assert len(model.linear._forward_hooks) == 1, "hooks are left"


def test_balanced():
    """What the first layer of a deep model adds is no longer lost on the way, and everything is as the generator's seed tells."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(1, 4, 3, padding=1)
            self.layers = nn.ModuleList([nn.Linear(4 * N, 64), *(nn.Linear(64, 64, bias=i != 3) for i in range(12))])
            self.scale = nn.Parameter(torch.ones(64))

        def forward(self, x):
            x = self.conv(x[:, None]).flatten(1)
            for layer in self.layers:
                x = torch.relu(layer(x))
            return x * self.scale

    def share_of_first_bias(model):
        less = copy.deepcopy(model)
        less.layers[0].bias.data.zero_()
        return vary.rms(less(x) - model(x)) / vary.rms(model(x))
    model, x = seeded(Model), torch.randn(32, N)
    with torch.no_grad():
        assert share_of_first_bias(model) < 1e-3
        state, made = torch.get_rng_state(), []
        for seed in (5, 5, 6):
            made.append(copy.deepcopy(model))
            found = vary.balanced(made[-1], [x], lambda inputs: made[-1](*inputs), seed)
            assert all(torch.equal(found[name], p) for name, p in made[-1].named_parameters())
        assert torch.equal(torch.get_rng_state(), state), "the global generator was used"
        assert share_of_first_bias(made[0]) > 1e-2
        same, other = (all(torch.equal(p, q) for p, q in zip(made[0].parameters(), m.parameters())) for m in made[1:])
        assert same and not other and torch.equal(made[0].scale, model.scale)
        products = {}
        for name, module in vary.products(made[0]):
            bias = 0 if module.bias is None else module.bias.reshape(-1, *(1,) * (name == "conv"))
            module.register_forward_hook(lambda _m, _i, o, name=name, bias=bias: products.update({name: vary.rms(o - bias)}))
        made[0](x)
    assert len(products) == 14 and all(math.isclose(size, 1, rel_tol=1e-3) for size in products.values()), products
    assert not any(module._forward_hooks for module in model.modules()), "hooks are left"


def test_cost():
    """A model of 3e7 parameters takes less than twice as long to build; a busy machine is given some more."""
    torch.set_num_threads(1)
    def make():
        return nn.Sequential(*(nn.Linear(1000, 1000) for _ in range(30)), *(nn.LayerNorm(1000) for _ in range(30)))

    def timed(run):
        start = time.process_time()
        run()
        return time.process_time() - start
    _, _, entries = entries_of(make)

    def substituted():
        with vary.Substitution(entries) as substitution:
            seeded(make)
        assert len(substitution.delivered) == len(entries)
    plain, under = min(timed(lambda: seeded(make)) for _ in range(3)), min(timed(substituted) for _ in range(3))
    assert under < 3 * plain + 0.1, f"{under:.3f} s instead of {plain:.3f} s"


if __name__ == "__main__":
    for test_name, test in sorted(globals().items()):
        if test_name.startswith("test_"):
            test()
    print("OK")
