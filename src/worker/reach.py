# SPDX-License-Identifier: MIT
"""How far a model's biases must be shifted so that each of its activations does something.

A leaky ReLU behind a logsumexp over thousands is given nothing below zero: a kernel that leaves it out gives the same for every input, and for
parameters that differ from the constructor's by a few times their size. The bound that matters lies where no rule on sizes tells, so it
is searched for, in the reference alone.
"""
import copy

import torch

SMALLEST = 1 / 64  # of what it is given: an activation that changes it by less does nothing that an output would tell
# 2 to 64 times as far as P- and P+, by small steps: far beyond a bound an activation gives little, which right formulas give differently.
FURTHER = tuple(step * shift for step in (2, 4, 8, 16, 32, 64) for shift in (-3, 8))


def watcher(stand_ins):
    class Reached(stand_ins.TorchFunctionMode):
        """Of the calls of activations, in order: those that changed next to nothing."""
        def __init__(self):
            super().__init__()
            self.calls, self.idle = 0, set()

        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            name = getattr(function, "__name__", "")
            given = args[0] if args else kwargs.get("input")
            if name not in stand_ins.ACTIVATIONS or not stand_ins.is_real(given):
                return function(*args, **kwargs)
            before = given.clone() if name.endswith("_") or kwargs.get("inplace") or any(value is True for value in args[1:]) else given
            output = function(*args, **kwargs)
            if stand_ins.is_real(output) and output.shape == before.shape:
                norm = torch.linalg.vector_norm
                if bool(norm(output - before, dtype=torch.float32) <= SMALLEST * norm(before, dtype=torch.float32)):
                    self.idle.add(self.calls)
            self.calls += 1
            return output
    return Reached()


def all_finite(value, stand_ins):
    return all(bool(torch.isfinite(tensor).all()) for tensor in stand_ins.tensors_of(value) if stand_ins.is_real(tensor))


def multiple(model, parameters, make_shifts, seed, make_run, vary, stand_ins):
    """The smallest multiple of the biases' shifts (make_shifts(), see vary.bias_shifts) that, added to those of P1, lets activations do something that
    do nothing under P1, P+ and P-; of several that one under which the fewest are idle. 0: all of them do, or none more does. `make_run(model)`
    makes ready one forward of it. An output that is not finite is no use."""
    shifts = {}

    def idle_under(regime, reach=0):
        clone = copy.deepcopy(model)
        own = dict(clone.named_parameters())
        for name, value in vary.perturb(parameters, seed, regime, shifts, reach).items():
            own[name].copy_(value)
        run = make_run(clone)
        with watcher(stand_ins) as seen:
            output = run()
        return seen.calls, seen.idle if all_finite(output, stand_ins) else set(range(seen.calls))

    calls, idle = idle_under("P1")
    shifts = make_shifts() if idle else {}
    if not shifts:
        return 0
    for regime in ("P-", "P+"):
        if not idle:
            return 0
        again, others = idle_under(regime)
        if again != calls:
            return 0  # which call is which is not known
        idle &= others
    best, left = 0, idle
    for further in FURTHER:
        if not left:
            break
        again, others = idle_under("PR", further)
        if again == calls and len(others & idle) < len(left):
            best, left = further, others & idle
    return best
