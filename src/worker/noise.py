# SPDX-License-Identifier: MIT
"""Whether two sources of random outputs have the same distribution, told from their outputs alone.

A forward that draws random numbers in training (dropout, noise) has no one right output. The reference is called often on one
draw of inputs with many seeds, and the candidate as often with others. Calls are independent of each other, whatever depends on
whatever within one, so a call of the one and a call of the other are a *pair* that could as well be the other way round. What is
measured of every call is handed over as sums over pairs, from which src/score/noise.cpp makes a bound that holds for any
distribution. This file says nothing of right and wrong.
"""
import math
import secrets

import torch

ELEMENT_LIMIT = 1 << 18   # of an output; of a larger one, some indices of each dimension, by chance
DIM_LIMIT = 4
NEAR_ZERO = 2.0**-14      # of the output's rms: what counts as zero
TINY = 1e-300


def chosen(shape):
    """For each dimension which indices are looked at, None for all. Neighbours stay neighbours: indices come in aligned pairs."""
    extents = list(shape)
    while math.prod(extents) > ELEMENT_LIMIT:
        longest = max(range(len(extents)), key=extents.__getitem__)
        extents[longest] = max(2, extents[longest] // 2 // 2 * 2)
    found, draw = [], secrets.SystemRandom()
    for full, kept in zip(shape, extents):
        if kept == full:
            found.append(None)
            continue
        pairs = sorted(draw.sample(range(full // 2), kept // 2))
        found.append([index for pair in pairs for index in (2 * pair, 2 * pair + 1)])
    return found


def squeezed(shape):
    """The dimensions that say anything, those beyond the fourth taken together."""
    extents = [extent for extent in shape if extent > 1] or [1]
    return extents if len(extents) <= DIM_LIMIT else [*extents[:DIM_LIMIT - 1], math.prod(extents[DIM_LIMIT - 1:])]


def as_json(number):
    """JSON has no infinity."""
    return number if math.isfinite(number) else "infinite"


def mean_of(values, dims):
    return values.mean(dims) if dims else values


class Output:
    """One output in many calls."""
    def __init__(self, example):
        self.indices, self.calls = chosen(example.shape), {"first": [], "reference": [], "candidate": []}
        self.dims = squeezed([full if kept is None else len(kept) for full, kept in zip(example.shape, self.indices)] + ([2] if example.is_complex() else []))

    def add(self, group, value):
        for dim, kept in enumerate(self.indices):
            if kept is not None:
                value = value.index_select(dim, torch.tensor(kept, device=value.device))
        value = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
        self.calls[group].append(value.to(torch.float32, copy=True).reshape(self.dims))

    def learn(self):
        """What is normal, by calls of the reference that are compared with nothing: the mean, and how far calls are from it."""
        stack = torch.stack(self.calls["first"])
        self.mean = stack.mean(0)
        away = stack - self.mean
        count = len(stack)
        # Relative to a mean that they are part of, calls are less far away than others will be.
        self.sigma = math.sqrt(away.double().square().mean().item() * count / (count - 1))
        self.size = math.sqrt(stack.double().square().mean().item())
        self.weight = self.mean / max(self.mean.double().square().mean().sqrt().item(), TINY)
        scale = max(self.sigma, TINY)
        self.mean_abs = (away / scale).abs().mean(0)
        flat = (away / scale).reshape(count, -1).double()
        gram = flat @ flat.T / flat.shape[1]
        norms = gram.diagonal()
        far = (norms[:, None] + norms[None, :] - 2 * gram)[torch.triu(torch.ones_like(gram), 1) > 0]
        self.far_mean, self.far_sd, self.far_least = far.mean().item(), far.std().item(), max(far.min().item(), 0.0)
        self.calls["first"] = []

    def measures(self, value):
        """(name, value, what an error of one part of the output's size does to it: the part that grows with it and that with its square)."""
        scale, part = max(self.sigma, TINY), self.size / max(self.sigma, TINY)
        d = (value - self.mean) / scale
        mean_square, mean_abs = d.square().mean().item(), d.abs().mean().item()
        rms = math.sqrt(mean_square)
        zeros, band = self.near_zeros(value)
        found = [("mean", d.mean().item(), part, 0.0),
                 ("along the mean", (d * self.weight).mean().item(), part, 0.0),
                 ("size", mean_square, 2 * rms * part, part * part),
                 ("size, low", math.sqrt(rms), 0.5 * part / max(rms, 0.25)**0.5, part),
                 ("absolute", mean_abs, part, 0.0),
                 ("third power", d.pow(3).mean().item(), 3 * mean_square * part, 3 * mean_abs * part * part),
                 ("fourth power", d.pow(4).mean().item(), 4 * d.abs().pow(3).mean().item() * part, 6 * mean_square * part * part),
                 ("zeros", zeros, band * 1e3, 0.0)]
        maps = {"noise": d, "noise along the mean": d * self.weight, "noise's size": d.abs() - self.mean_abs}
        for name, m in maps.items():
            every = list(range(m.dim()))
            energy = math.sqrt(m.square().mean().item())
            weight = part * (math.sqrt(self.weight.square().max().item()) if name == "noise along the mean" else 1.0)
            for dim in every if m.dim() > 1 else ():
                same, other = mean_of(m, [dim]).square().mean().item(), mean_of(m, [e for e in every if e != dim]).square().mean().item()
                found += [(f"{name}: the same along dimension {dim}", same, 2 * math.sqrt(same) * weight, weight * weight),
                          (f"{name}: one for each index of dimension {dim}", other, 2 * math.sqrt(other) * weight, weight * weight)]
            for dim in every:
                if m.shape[dim] > 1:
                    a, b = m.narrow(dim, 0, m.shape[dim] - 1), m.narrow(dim, 1, m.shape[dim] - 1)
                    found.append((f"{name}: neighbours along dimension {dim}", (a * b).mean().item(), 2 * energy * weight, weight * weight))
        return found

    def near_zeros(self, value):
        """The part of elements that are as good as zero, and of those that rounding could bring to either side."""
        limit = NEAR_ZERO * max(self.size, TINY)
        size = value.abs()
        small = (size <= limit).float().mean().item()
        return small, ((size > limit / 16) & (size <= 16 * limit)).float().mean().item()

    def facts(self):
        pairs = list(zip(self.calls["reference"], self.calls["candidate"]))
        finite = all(bool(torch.isfinite(c).all()) for c in self.calls["candidate"])
        told = {"sigma": self.sigma, "size": self.size, "calls": len(pairs), "finite": finite, "measures": [], "fields": [],
                "far_mean": self.far_mean, "far_sd": self.far_sd, "far_least": self.far_least, "least": 0.0}
        if not pairs or not finite or not math.isfinite(self.sigma) or self.sigma <= 0 or not math.isfinite(self.size):
            return told
        sums = {}
        for r, c in pairs:
            for (name, a, linear, square), (_, b, own_linear, own_square) in zip(self.measures(r), self.measures(c)):
                s = sums.setdefault(name, {"name": name, "expected": 0.0, "got": 0.0, "sum": 0.0, "sum_sq": 0.0, "linear": 0.0, "square": 0.0})
                s["expected"] += a / len(pairs)
                s["got"] += b / len(pairs)
                s["sum"] += b - a
                s["sum_sq"] += (b - a)**2
                s["linear"] += linear / len(pairs)   # the reference's: what a candidate does must not widen its own limits
                s["square"] += square / len(pairs)
        told["measures"] = [{key: value if key == "name" else as_json(value) for key, value in s.items()} for s in sums.values()]
        told["fields"] = [self.field("each element's mean", pairs, lambda v: (v - self.mean) / self.sigma, lambda part: (part, 0.0)),
                          self.field("each element's size", pairs, lambda v: ((v - self.mean) / self.sigma).square().clamp(max=64),
                                     lambda part: (2 * part, part * part))]
        flat = torch.stack([((c - self.mean) / self.sigma).reshape(-1) for _, c in pairs]).double()
        gram = flat @ flat.T / flat.shape[1]
        norms = gram.diagonal()
        far = (norms[:, None] + norms[None, :] - 2 * gram)[torch.triu(torch.ones_like(gram), 1) > 0]
        told["least"] = as_json(max(far.min().item(), 0.0))
        return told

    def field(self, name, pairs, function, rounding):
        """Of something that each element has: the squared norm of the sum over pairs, and of the matrix of products of pairs what bounds it."""
        deltas = torch.stack([(function(c) - function(r)).reshape(-1) for r, c in pairs]).double()
        gram = deltas @ deltas.T / deltas.shape[1]
        linear, square = rounding(self.size / max(self.sigma, TINY))
        if not bool(torch.isfinite(gram).all()):  # numbers so large that their squares are not
            return {"name": name, **dict.fromkeys(("sum", "trace", "frobenius", "top"), "infinite"), "linear": linear, "square": square}
        return {"name": name, "sum": gram.sum().item(), "trace": gram.trace().item(), "frobenius": gram.norm().item(),
                "top": torch.linalg.eigvalsh(gram.cpu())[-1].item(), "linear": linear, "square": square}


class Noise:
    """All outputs of the reference and of one other source. `add` as often for "reference" as for "candidate"; "first" before both."""
    def __init__(self, outputs):
        self.outputs = [Output(output) for output in outputs]

    def add(self, group, values):
        for output, value in zip(self.outputs, values):
            output.add(group, value)

    def learn(self):
        for output in self.outputs:
            output.learn()

    def forget_candidate(self):
        for output in self.outputs:
            output.calls["candidate"] = []

    def is_finite(self):
        """Whether all calls of the reference are: else nothing can be said."""
        return all(math.isfinite(output.sigma) and all(bool(torch.isfinite(call).all()) for call in output.calls["reference"])
                   for output in self.outputs)

    def facts(self, number=None):
        """Of one output, or of all."""
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # on small tensors two that wait for each other on busy CPUs take 50 times as long as one
        try:
            return [output.facts() for output in (self.outputs if number is None else [self.outputs[number]])]
        finally:
            torch.set_num_threads(threads)
