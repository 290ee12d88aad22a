# SPDX-License-Identifier: MIT
"""The reference in float64, from the same values: what an output should be, and how far another one is from it."""
import copy
import math

import torch

SLICE_ELEMENTS = 1000
CHUNK = 1 << 25  # elements that are looked at together: a comparison must not need many times the output's own memory
FREE_BITS = 0x7FF800000000F4EE  # src/device/exact_stats.h: a NaN that says that any value is right here


class Oracle:
    def __init__(self, model, seed):
        """`seed(value)` sets every generator that a forward may draw from."""
        self.model, self.seed = copy.deepcopy(model).double(), seed

    def run(self, inputs, forward_seed):
        """The outputs for float64 inputs. Constants that the forward makes are float64 as well."""
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            self.seed(forward_seed)
            with torch.no_grad():
                return self.model(*inputs)
        finally:
            torch.set_default_dtype(before)


PARTS = 8
SAME = 2.0**-18  # 16 times what the eager reference may be off: a sum over samples, such as a batch's mean, shows as more


def samples(tensors):
    """The ranges of dimension 0 in which samples can be looked at, some at a time; none where tensors do not share it."""
    sizes = {tensor.shape[0] for tensor in tensors if tensor.dim()}
    if len(sizes) != 1 or (size := sizes.pop()) < 2:
        return []
    step = -(-size // PARTS)
    return [(begin, min(begin + step, size)) for begin in range(0, size, step)]


def some_of(tensors, begin, end):
    return [tensor[begin:end] if tensor.dim() else tensor for tensor in tensors]


def treats_apart(run, tensors):
    """Whether samples give alone what they give among others: run(tensors) is a list of outputs, in the reference's own type without TF32."""
    ranges = samples(tensors)
    if not ranges:
        return False
    whole = run(tensors)
    if len(whole) != 1 or whole[0].dim() == 0 or whole[0].shape[0] != ranges[-1][1] or not whole[0].is_floating_point():
        return False
    for begin, end in (ranges[0], ranges[-1]):
        alone, among = run(some_of(tensors, begin, end)), whole[0][begin:end]
        if len(alone) != 1 or alone[0].shape != among.shape:
            return False
        d, size = (alone[0] - among).double().square().mean().sqrt(), among.double().square().mean().sqrt()
        if not bool(d <= SAME * size):
            return False
    return True


def in_parts(run, tensors):
    """run(tensors) of a model that treats samples apart, some samples at a time: what a forward in float64 needs besides its output is less then."""
    made, ranges = None, samples(tensors)
    for begin, end in ranges:
        part = run(some_of(tensors, begin, end))[0]
        if made is None:
            made = part.new_empty((ranges[-1][1], *part.shape[1:]))
        made[begin:end] = part
    return [made]


def widened(tensors):
    return [t.to(torch.complex128 if t.is_complex() else torch.float64) if t.is_floating_point() or t.is_complex() else t for t in tensors]


def nudged(tensors, sign):
    """Float64 inputs moved by less than float32 can tell, one way or the other: what an integer output does then is a tie."""
    moved = []
    for i, tensor in enumerate(tensors):
        if tensor.is_floating_point() and tensor.numel():
            noise = torch.rand(tensor.shape, generator=torch.Generator(device=tensor.device).manual_seed(i), device=tensor.device).double() - 0.5
            scale = torch.where(torch.isfinite(tensor), tensor, 0).square().mean().sqrt()
            tensor = tensor + sign * 2.0**-21 * noise * (tensor.abs() + scale * 2.0**-4)
        moved.append(tensor)
    return moved


def flat(tensor, leaf):
    """Its real elements in the order in which they lie in a buffer."""
    if list(tensor.stride()) != leaf["stride"] and tensor.numel():
        tensor = torch.empty_strided(leaf["shape"], leaf["stride"], dtype=tensor.dtype, device=tensor.device).copy_(tensor)
    tensor = tensor.as_strided((tensor.numel(),), (1,)) if tensor.numel() else tensor.reshape(0)
    return torch.view_as_real(tensor).reshape(-1) if tensor.is_complex() else tensor


def chunks(count, slice_elements):
    """(begin, end) of whole slices that are looked at together; the last may hold a shorter one."""
    step = max(1, CHUNK // slice_elements) * slice_elements
    return [(begin, min(begin + step, count)) for begin in range(0, count, step)]


def by_slice(values, slice_elements):
    """Mean over each slice of a chunk."""
    whole = values.numel() // slice_elements * slice_elements
    means = values[:whole].reshape(-1, slice_elements).mean(1)
    return torch.cat([means, values[whole:].mean().reshape(1)]) if whole < values.numel() else means


def floors(exact, slice_elements):
    """rho of each slice: an element's error is measured by itself and by this. The rms of its slice; but an output that is all zero, or
    tiny beside the rest, must not make rounding noise look like an error."""
    parts = [by_slice(torch.nan_to_num(exact[b:e], 0, 0, 0).square(), slice_elements) for b, e in chunks(exact.numel(), slice_elements)]
    squares = torch.cat(parts) if parts else exact.new_zeros(0)
    return torch.maximum(squares, squares.mean() * 2.0**-20).sqrt().clamp(min=2.0**-100) if parts else squares


def errors(got, exact, rho, slice_elements, variation=None):
    """e_max, e_rms and e_var of flat outputs (docs/protocols.md, "The error budget"); e_var is None without a variation."""
    e_max, e_rms, total = 0.0, 0.0, 0.0
    for begin, end in chunks(exact.numel(), slice_elements):
        r, first = exact[begin:end], begin // slice_elements
        counted = torch.isfinite(r)
        d = torch.where(counted, got[begin:end].double() - r, 0)
        own = rho[first:first + -(-(end - begin) // slice_elements)]
        floor = own.repeat_interleave(slice_elements)[:end - begin]
        e_max = max(e_max, (d.abs() / (torch.where(counted, r, 0).abs() + floor)).max().nan_to_num(math.inf).item())
        squares = d.square()
        e_rms = max(e_rms, (by_slice(squares, slice_elements).sqrt() / own).max().nan_to_num(math.inf).item())
        total += squares.sum().nan_to_num(math.inf).item()
    return e_max, e_rms, None if variation is None else math.sqrt(total) / variation if variation > 0 else math.inf


def distance(got, exact):
    """(||got - exact||, ||exact||) of flat outputs, over what is finite in `exact`; infinite where `got` alone is not finite."""
    far, size = 0.0, 0.0
    for begin, end in chunks(exact.numel(), 1):
        r = exact[begin:end]
        counted = torch.isfinite(r)
        far += torch.where(counted, got[begin:end].double() - r, 0).square().sum().nan_to_num(math.inf).item()
        size += torch.where(counted, r, 0).square().sum().item()
    return math.sqrt(far), math.sqrt(size)


def variation(exact, other):
    """How much an output differs from sample to sample: ||r - mean over dimension 0||; of one that has no samples, from another draw's.
    None: neither can be had."""
    if exact.dim() > 1 and exact.shape[0] > 1:
        columns = exact.flatten(1).split(max(1, CHUNK // exact.shape[0]), dim=1)
        return math.sqrt(sum((part - part.mean(0, keepdim=True)).abs().square().sum().item() for part in columns))
    if other is None or other.shape != exact.shape:
        return None
    return (exact - other).abs().square().sum().sqrt().item() / math.sqrt(2)


def set_free(flat_exact, mask):
    """Marks elements where any value is right."""
    flat_exact.view(torch.int64)[mask] = FREE_BITS


def kinds(values):
    """NaN, infinities, finite: as numbers that can be compared."""
    return torch.isnan(values) * 3 + torch.isposinf(values) * 1 + torch.isneginf(values) * 2
