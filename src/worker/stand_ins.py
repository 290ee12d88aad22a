# SPDX-License-Identifier: MIT
"""What a candidate could give without doing all of a problem's work: an audit asks whether a problem's check would notice.

Each stand-in is made of the reference itself, in the reference's worker: outputs of another draw, an argument replaced, a
parameter ignored, an activation left out, inputs in a smaller type. docs/protocols.md says what is concluded.
"""
import contextlib

import torch
from torch.overrides import TorchFunctionMode

PARAMETER_LIMIT = 32
ACTIVATIONS = {"relu", "relu_", "relu6", "gelu", "silu", "mish", "sigmoid", "sigmoid_", "tanh", "tanh_", "leaky_relu", "leaky_relu_",
               "elu", "selu", "celu", "softplus", "softsign", "logsigmoid", "hardswish", "hardsigmoid", "hardtanh", "clamp", "clamp_",
               "clamp_min", "clamp_max"}


class Functions(TorchFunctionMode):
    """Notes which of PyTorch's functions are called, and puts others in the place of some."""
    def __init__(self, instead=None):
        super().__init__()
        self.seen, self.instead = [], instead or {}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name not in self.seen:
            self.seen.append(name)
        return self.instead.get(name, lambda f, a, k: f(*a, **k))(function, args, kwargs or {})


def first_argument(_function, args, kwargs):
    return args[0] if args else next(iter(kwargs.values()))


def tanh_gelu(function, args, kwargs):
    return function(*args[:1], **{**kwargs, "approximate": "tanh"})


def is_real(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def tensors_of(value):
    """The tensors in a value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else []
    return [tensor for item in items for tensor in tensors_of(item)]


def map_tensors(value, function):
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, dict):
        return {key: map_tensors(item, function) for key, item in value.items()}
    return type(value)(map_tensors(item, function) for item in value) if type(value) in (list, tuple) else value


def rounded(tensor, dtype):
    return tensor.to(dtype).to(tensor.dtype) if is_real(tensor) else tensor


class StandIns:
    """For one draw: `inputs`, and `other`, another draw. `run(inputs)` is the reference's forward."""
    def __init__(self, model, run, inputs, other):
        self.model, self.run, self.inputs, self.other = model, run, inputs, other
        self.found = {}

    @property
    def outputs(self):
        """What the reference makes of `inputs`. Computed once, as are those of `other`: no stand-in changes them in place."""
        if "outputs" not in self.found:
            self.found["outputs"] = self.run(self.inputs)
        return self.found["outputs"]

    @property
    def other_outputs(self):
        if "other" not in self.found:
            self.found["other"] = self.run(self.other)
        return self.found["other"]

    def listing(self):
        """What there is to try: kind, and what it is of; and how many parameters are left out."""
        with Functions() as functions:
            outputs = tensors_of(self.outputs)
        found = [("zeros", ""), ("constant", ""), ("other_draw", "")]
        if any(output.dim() > 0 and output.shape[0] > 1 for output in outputs):
            found.append(("first_sample", ""))
        tensors = tensors_of(self.inputs)
        for i, tensor in enumerate(tensors):
            if len(outputs) == 1 and is_real(tensor) and is_real(outputs[0]) and fits(tensor, outputs[0]):
                found.append(("input", str(i)))
        for i, tensor in enumerate(tensors):
            found += [("other_input", str(i))] + ([("zero_input", str(i))] if is_real(tensor) else [])
        named = [(name, parameter) for name, parameter in self.model.named_parameters() if is_real(parameter)]
        for name, _ in named[:PARAMETER_LIMIT]:
            found += [("varied_parameter", name), ("zero_parameter", name), ("one_parameter", name)]
        for dim in range(outputs[0].dim() if outputs else 0):
            if outputs[0].shape[dim] > 1:
                found.append(("skip_last", str(dim)))
        found += [("without", name) for name in functions.seen if name in ACTIVATIONS]
        if "gelu" in functions.seen:
            found.append(("tanh_gelu", ""))
        found += [("half", "float16"), ("half", "bfloat16")]
        return found, max(0, len(named) - PARAMETER_LIMIT)

    def make(self, kind, what):
        return getattr(self, "make_" + kind)(what)

    def make_zeros(self, _):
        return map_tensors(self.outputs, torch.zeros_like)

    def make_constant(self, _):
        """The mean of another draw's output: what could be known ahead."""
        return map_tensors(self.other_outputs, lambda t: torch.full_like(t, t.mean().item()) if is_real(t) else torch.zeros_like(t))

    def make_other_draw(self, _):
        return self.other_outputs

    def make_first_sample(self, _):
        return map_tensors(self.outputs, lambda t: t[:1].expand_as(t) if t.dim() > 0 and t.shape[0] > 1 else t)

    def make_input(self, what):
        output = tensors_of(self.outputs)[0]
        copied = tensors_of(self.inputs)[int(what)].to(output.dtype).expand_as(output)
        return map_tensors(self.outputs, lambda _: copied)

    def with_input(self, index, value):
        count = iter(range(1 << 30))
        return self.run(map_tensors(self.inputs, lambda tensor: value if next(count) == index else tensor))

    def make_other_input(self, what):
        return self.with_input(int(what), tensors_of(self.other)[int(what)])

    def make_zero_input(self, what):
        return self.with_input(int(what), torch.zeros_like(tensors_of(self.inputs)[int(what)]))

    @contextlib.contextmanager
    def parameters(self, change):
        """Parameters for which change(name, value) gives something else have that meanwhile."""
        before = {}
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if (value := change(name, parameter)) is not None:
                    before[name] = parameter.clone()
                    parameter.copy_(value)
            try:
                yield
            finally:
                for name, parameter in self.model.named_parameters():
                    if name in before:
                        parameter.copy_(before[name])

    def make_varied_parameter(self, what):
        def vary(name, value):
            if name != what:
                return None
            generator = torch.Generator().manual_seed(1)
            noise = [torch.randn(value.shape, generator=generator).to(value) for _ in range(2)]
            size = value.float().square().mean().sqrt().item() or 1.0
            return value * (1 + noise[0] / 4) + noise[1] * size / 10
        with self.parameters(vary):
            return self.run(self.inputs)

    def make_zero_parameter(self, what):
        with self.parameters(lambda name, value: torch.zeros_like(value) if name == what else None):
            return self.run(self.inputs)

    def make_one_parameter(self, what):
        with self.parameters(lambda name, value: torch.ones_like(value) if name == what else None):
            return self.run(self.inputs)

    def make_skip_last(self, what):
        skipped = []

        def skip(tensor):
            if not skipped:  # of the first output
                tensor = tensor.clone()
                tensor.select(int(what), -1).zero_()
            skipped.append(tensor)
            return tensor
        return map_tensors(self.outputs, skip)

    def make_without(self, what):
        with Functions({what: first_argument}):
            return self.run(self.inputs)

    def make_tanh_gelu(self, _):
        with Functions({"gelu": tanh_gelu}):
            return self.run(self.inputs)

    def make_half(self, what):
        dtype = getattr(torch, what)
        with self.parameters(lambda _, value: rounded(value, dtype)):
            return self.run(map_tensors(self.inputs, lambda tensor: rounded(tensor, dtype)))


def fits(tensor, output):
    try:
        return torch.broadcast_shapes(tensor.shape, output.shape) == output.shape
    except RuntimeError:
        return False
