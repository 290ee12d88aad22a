#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A case of an evaluation by kbv again, in plain PyTorch: the same seeds, inputs and constructors, without kbv.

usage: python THIS_FILE [PROBLEM CANDIDATE]      exits 0 if the candidate's output is wrong here too, else 1

It imports the candidate without any isolation: run it only where you would run that. The cases before the one in question are
run as well, since a candidate may remember them.
"""
import copy
import hashlib
import importlib.util
import json
import random
import sys
import types

import torch

FACTS = json.loads("{}")  # kbv writes them here


def module_of(name):
    """Code of kbv's own that came along."""
    module = types.ModuleType(name)
    exec(FACTS[name], vars(module))
    return module


def say(text):
    """The one way by which text gets to the terminal: names of outputs and of files may be a stranger's."""
    print("".join(c if " " <= c <= "~" else ascii(c)[1:-1] for c in text))


def load(path, name):
    with open(path, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != FACTS[name]["sha256"]:
        say(f"note: {path} is not the file that was evaluated (its sha256 is {found})")
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if name == "problem":
        vars(module).update(module.SIZES[FACTS["size"]] if FACTS["size"] else {})
        vars(module).update(FACTS["constants"])
    return module


def seed(value):
    random.seed(value)
    torch.manual_seed(value)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(value % (1 << 32))


def tensors_of(value):
    """The leaves of a value as tensors, with their names."""
    def walk(value, name):
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, dict):
            for key, item in value.items():
                yield from walk(item, f"{name}[{key!r}]")
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                yield from walk(item, f"{name}[{i}]")
        elif isinstance(value, (bool, int, float)):
            yield name, torch.tensor(value)
    return list(walk(value, "output"))


def map_tensors(value, function):
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, dict):
        return {key: map_tensors(item, function) for key, item in value.items()}
    return type(value)(map_tensors(item, function) for item in value) if type(value) in (list, tuple) else value


def draw(problem, case, device, dtype):
    """get_inputs() on the device, where its code can do that, scaled and cast."""
    seed(case["seed"])
    try:
        with device:
            inputs = problem.get_inputs()
    except Exception:
        seed(case["seed"])
        inputs = problem.get_inputs()

    def prepare(tensor):
        tensor = tensor.detach().to(device)
        if tensor.is_floating_point():
            tensor = (tensor if case["scale"] == 1.0 else tensor * case["scale"]).to(dtype or tensor.dtype)
        return tensor
    inputs = map_tensors(list(inputs), prepare)
    if case["family"]:
        native, made = [], iter(())
        map_tensors(inputs, native.append)
        domains = FACTS["domains"] or getattr(problem, "DOMAINS", None)
        made = iter(module_of("families").make(native, domains, case["family"], case["seed"]))
        inputs = map_tensors(inputs, lambda _: next(made))
    return inputs


def errors(reference, case, inputs, name, b):
    """How far an output is from the reference in float64, and how far it may be: whether it passes, and text with the worst element."""
    oracle, limits = module_of("oracle"), FACTS["outputs"][name]["budget"]
    exact = dict(tensors_of(oracle.Oracle(copy.deepcopy(reference), seed).run(map_tensors(inputs, lambda t: oracle.widened([t])[0]), case["forward_seed"])))[name]
    leaf = {"shape": list(b.shape), "stride": list(torch.empty_like(b, device="meta").stride())}
    r, y = oracle.flat(exact, leaf), oracle.flat(b, leaf)
    one = max(1, r.numel() // b.shape[0]) if b.dim() > 1 and b.shape[0] else max(1, r.numel())
    slices = one * max(1, -(-oracle.SLICE_ELEMENTS // one)) if b.dim() > 1 else one
    variation, rho = oracle.variation(exact, None), oracle.floors(r, slices)
    e_max, e_rms, e_var = oracle.errors(y, r, rho, slices, variation)
    part = (y.double() - r).abs() / (r.abs() + rho.repeat_interleave(slices)[:r.numel()])
    same = (y.double() == r) | (torch.isnan(y) & torch.isnan(r))
    worst = int(torch.where(same, 0, part.nan_to_num(float("inf"))).argmax())
    passes = e_max <= limits["e_max"] and e_rms <= limits["e_rms"] and bool((torch.isfinite(r) == torch.isfinite(y)).all())
    if limits["e_var"] is not None and e_var is not None:
        passes = passes and e_var <= limits["e_var"]
    return passes, (f"{name} element {worst} is {y[worst].item()}, expected {r[worst].item()} (float64): e_max {e_max:.3g} of {limits['e_max']:.3g}, "
                    f"e_rms {e_rms:.3g} of {limits['e_rms']:.3g}, e_var {e_var} of {limits['e_var']}")


def differences(expected, got):
    """Of each leaf: whether it passes; and its name, its worst element, both values, |difference| / (1 + |expected|), as text."""
    theirs, ours = tensors_of(expected), tensors_of(got)
    if [name for name, _ in theirs] != [name for name, _ in ours]:
        yield False, f"output is built as {[name for name, _ in ours]}, expected {[name for name, _ in theirs]}"
        return
    for (name, a), (_, b) in zip(theirs, ours):
        if a.shape != b.shape or a.dtype != b.dtype:
            yield False, f"{name} is {b.dtype} of shape {list(b.shape)}, expected {a.dtype} of shape {list(a.shape)}"
            continue
        if a.numel() == 0:
            continue
        a, b = (t.to("cpu", torch.complex128 if t.is_complex() else torch.float64).flatten() for t in (a, b))
        error = (b - a).abs() / (1 + a.abs())
        error[~torch.isfinite(error)] = float("inf")
        error[(a == b) | (torch.isnan(a.abs()) & torch.isnan(b.abs()))] = 0
        worst = int(error.argmax())
        rule, noise = FACTS["outputs"][name], 1.2e-7 * a.numel() ** 0.5
        size, far = a.abs().nan_to_num().norm().item(), (b - a).abs().nan_to_num().norm().item()
        passes = error[worst].item() <= rule["tolerance"]
        if rule["max_rms_ratio"] is not None and size > noise:
            passes = passes and far / size <= rule["max_rms_ratio"]
        yield passes, (f"{name} element {worst} is {b[worst].item()}, expected {a[worst].item()}: error {error[worst].item():.4g}, "
                       f"tolerance {rule['tolerance']:g}" + (f"; rms of the difference {far / size:.3g} of the output's" if size > noise else ""))


def main():
    paths = sys.argv[1:3] if len(sys.argv) == 3 else (FACTS["problem"]["path"], FACTS["candidate"]["path"])
    device = torch.device("cuda" if FACTS["cuda"] else "cpu")
    dtype = {"native": None, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[FACTS["precision"]]
    problem, candidate = load(paths[0], "problem"), load(paths[1], "candidate")
    seed(FACTS["init_seed"])
    arguments = list(getattr(problem, "get_init_inputs", list)())

    def construct(kind):
        seed(FACTS["construct_seed"])
        return kind(*map_tensors(arguments, torch.Tensor.clone)).to(device, dtype)
    reference, model = construct(problem.Model), construct(candidate.ModelNew)
    wrong = False
    for case in FACTS["cases"]:
        inputs = draw(problem, case, device, dtype)
        outputs = []
        for module in (reference, model):
            seed(case["forward_seed"])
            with torch.no_grad():
                outputs.append(map_tensors(module(*map_tensors(inputs, torch.Tensor.clone)), torch.Tensor.clone))
        wrong = False
        told = list(differences(*outputs))
        if len(told) == len(list(tensors_of(outputs[1]))):
            for i, (name, b) in enumerate(tensors_of(outputs[1])):
                if case["id"] == FACTS["cases"][-1]["id"] and name in FACTS["outputs"] and FACTS["outputs"][name]["budget"]:
                    told[i] = errors(reference, case, inputs, name, b)
        for passes, text in told:
            say(f"{case['id']} (inputs {'of family ' + case['family'] if case['family'] else 'x %g' % case['scale']}, seed {case['seed']}): {'passes' if passes else 'WRONG'}: {text}")
            wrong = wrong or not passes
    say(f"{FACTS['cases'][-1]['id']} is {'wrong' if wrong else 'right'} here. kbv said: {FACTS['reason']}")
    return 0 if wrong else 1


if __name__ == "__main__":
    sys.exit(main())
