# SPDX-License-Identifier: MIT
"""Families of inputs beyond a problem's own draw: what each is to bring to light is beside it. docs/protocols.md lists them.

A family is applied to a native draw, input by input, each by its domain: what kind of values it may hold. A problem names
the domains of its tensors in DOMAINS, in order; otherwise they are guessed from the draw, so that a guess that is wrong can only
leave the input as get_inputs() makes it, or end in a reference that is not finite, which counts for nobody.
"""
import math

import torch

DOMAINS = ("real", "positive", "prob", "sign", "mask", "index", "keep")


def guess(tensor):
    """The domain of a tensor, as far as its values tell."""
    if tensor.dtype == torch.bool:
        return "mask"
    if not tensor.is_floating_point():
        return "index" if not tensor.is_complex() else "keep"
    if tensor.numel() == 0:
        return "keep"
    if bool((tensor.abs() == 1).all()):
        return "sign"
    if tensor.dim() > 0 and tensor.shape[-1] > 1 and bool((tensor >= 0).all()) and bool(((tensor.sum(-1) - 1).abs() < 1e-3).all()):
        return "prob"
    return "real"


def structure(tensor):
    """What of its shape a native draw keeps: a triangle, a diagonal, symmetry. Returns a function that restores it."""
    if tensor.dim() < 2 or tensor.shape[-1] != tensor.shape[-2] or tensor.shape[-1] < 2:
        return lambda new: new
    zero = tensor == 0
    if bool(zero.triu(1).eq(torch.ones_like(zero).triu(1)).all()) or bool(zero.tril(-1).eq(torch.ones_like(zero).tril(-1)).all()):
        return lambda new: torch.where(zero, 0, new)
    if bool((tensor == tensor.mT).all()):
        return lambda new: (new.triu() + new.triu(1).mT)
    return lambda new: new


class Draw:
    """Real values in the shape of `like`, by one generator."""
    def __init__(self, like, generator, index=0):
        self.like, self.generator, self.index = like, generator, index

    def normal(self, shape=None):
        return torch.randn(self.like.shape if shape is None else shape, generator=self.generator, device=self.like.device)

    def uniform(self, low, high):
        return torch.rand(self.like.shape, generator=self.generator, device=self.like.device) * (high - low) + low

    def along(self, dims):
        """Normal values that are the same along all other dimensions."""
        return self.normal([extent if dim in dims else 1 for dim, extent in enumerate(self.like.shape)])

    def edges(self):
        """True at the first and the last index of each dimension."""
        found = torch.zeros(self.like.shape, dtype=torch.bool, device=self.like.device)
        for dim in range(found.dim()):
            for index in (0, -1):
                found.select(dim, index).fill_(True)
        return found

    # One for each family.
    def s1(self):  # positivity, evenness
        return self.normal()

    def s2(self):  # cancellation
        return 10 + self.normal()

    def s2_far(self):
        return -1000 + self.normal()

    def s3(self):  # the range of smaller types
        return self.normal() * torch.exp2(torch.floor(self.uniform(-20, 21)))

    def s3_rows(self):  # one scale for a row: errors must keep to it
        scale = torch.exp2(torch.round(self.along({0}) * 8).clamp(-20, 20))
        return self.normal() * scale

    def s4(self):  # saturation and overflow of exp, tanh, softplus
        kind = self.uniform(0, 3)
        return torch.where(kind < 1, self.uniform(-8, 8), torch.where(kind < 2, self.uniform(0, 100), torch.sign(self.normal()) * self.uniform(44, 90)))

    def s5(self):  # ties, zeros, early exits
        return torch.where(self.uniform(0, 1) < 0.9, torch.zeros((), device=self.like.device), torch.round(self.normal() * 8) / 8)

    def s6(self):  # a skipped last tile, a wrong tail
        return self.normal() * torch.where((self.uniform(0, 1) < 1e-3) | self.edges(), 1000.0, 1.0)

    def s7(self):  # sums that every order gives exactly
        return torch.floor(self.uniform(-2, 3))

    def s8(self):  # fp16: one input overflows in it, the next one vanishes; a product of both does neither
        return self.normal() * 2.0**(20 if self.index % 2 == 0 else -20)

    def s9(self):  # long products
        extent = max(self.like.shape[-1] if self.like.dim() else 1, 1)
        return torch.sign(self.normal()) * torch.exp(self.normal() / math.sqrt(extent))

    def s10(self):  # a wrong axis, one sample for all
        dims = self.like.dim()
        return self.normal() + self.along({0}) + (self.along({dims - 1}) if dims > 1 else 0) + (self.along({1}) if dims > 2 else 0)

    def s11(self):  # indices, padding, strides
        pulses = (self.uniform(0, 1) < 1 / max(64, self.like.numel() // 64)) | (self.edges() & (self.uniform(0, 1) < 0.05))
        rows = self.along({0}).expand(self.like.shape)
        half = torch.arange(self.like.shape[0] if self.like.dim() else 1, device=self.like.device) % 2 == 0
        half = half.reshape([-1] + [1] * max(self.like.dim() - 1, 0)) if self.like.dim() else half[0]
        return torch.where(half, rows, pulses.to(rows.dtype))

    def x1(self):  # NaN and infinities, one in 2000 each
        kind, values = self.uniform(0, 2000), self.normal()
        for i, special in enumerate((math.nan, math.inf, -math.inf)):
            values = torch.where((kind >= i) & (kind < i + 1), special, values)
        return values

    def x2(self):  # subnormals
        return torch.where(self.uniform(0, 1) < 0.5, self.normal() * 2.0**-130, self.normal())


FAMILIES = {"S1": Draw.s1, "S2": Draw.s2, "S2-far": Draw.s2_far, "S3": Draw.s3, "S3-rows": Draw.s3_rows, "S4": Draw.s4, "S5": Draw.s5,
            "S6": Draw.s6, "S7": Draw.s7, "S8": Draw.s8, "S9": Draw.s9, "S10": Draw.s10, "S11": Draw.s11, "X1": Draw.x1, "X2": Draw.x2}
SPECIAL = ("X1",)  # not finite on purpose: what counts is where outputs are NaN or infinite


def transformed(tensor, domain, family, generator, index):
    """A tensor like `tensor`, of the family, with values that the domain allows."""
    if domain == "mask":
        share = {"S5": 0.1, "S6": 0.9}.get(family, 0.5)
        return torch.rand(tensor.shape, generator=generator, device=tensor.device) < share
    if domain in ("index", "keep") or family in SPECIAL and domain != "real":
        return tensor  # a native draw: other indices may not exist
    values = FAMILIES[family](Draw(tensor, generator, index))
    if domain == "sign":
        values = torch.where(values < 0, -1.0, 1.0)
    elif domain == "positive":
        values = values.abs() + 2.0**-10
    elif domain == "prob":
        values = torch.softmax(values, -1)
    else:
        values = structure(tensor)(values)
    return values.to(tensor.dtype)


def in_domain(tensors, domains, scale):
    """Whether a native draw times `scale` holds values that its domains allow."""
    allowed = {"positive": scale > 0, "prob": scale == 1, "sign": abs(scale) == 1}
    return all(allowed.get(domains[i] if domains else guess(tensor), True) for i, tensor in enumerate(tensors) if tensor.is_floating_point())


def make(tensors, domains, family, seed):
    """The tensors of a draw in a family. `domains`: one for each, or None to guess."""
    if domains is not None and (len(domains) != len(tensors) or any(domain not in DOMAINS for domain in domains)):
        raise ValueError(f"DOMAINS: {list(domains)} should be {len(tensors)} of {', '.join(DOMAINS)}")
    made = []
    for i, tensor in enumerate(tensors):
        generator = torch.Generator(device=tensor.device).manual_seed((seed + i) % (1 << 63))
        made.append(transformed(tensor, domains[i] if domains else guess(tensor), family, generator, i))
    return made
