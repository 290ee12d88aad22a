# SPDX-License-Identifier: MIT
"""What a candidate could give without doing all of a problem's work: an audit asks whether a problem's check would notice.

Each stand-in is made of the reference itself, in the reference's worker: outputs of another draw, an argument replaced, a
parameter ignored, an activation left out, another formula, a smaller type. docs/protocols.md says what is concluded. The same
changes of the reference in float64 tell whether one changes anything but the rounding.
"""
import contextlib

import torch
from torch.overrides import TorchFunctionMode

PARAMETER_LIMIT = 32
TILE = 16  # of the last tile that is left out: the smallest that kernels use
ACTIVATIONS = {"relu", "relu_", "relu6", "gelu", "silu", "mish", "sigmoid", "sigmoid_", "tanh", "tanh_", "leaky_relu", "leaky_relu_",
               "elu", "selu", "celu", "softplus", "softsign", "logsigmoid", "hardswish", "hardsigmoid", "hardtanh", "clamp", "clamp_",
               "clamp_min", "clamp_max", "softmax", "log_softmax"}
DROPOUTS = {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"}


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


def one_pass(x, dims, correction=0):
    """(mean, variance) by the means of x and of its square. Of a variance that cancelled to less than nothing, 0."""
    count = 1
    for dim in dims:
        count *= x.shape[dim]
    mean = x.mean(dims, keepdim=True)
    return mean, (x.square().mean(dims, keepdim=True) - mean.square()).clamp(min=0) * (count / max(count - correction, 1))


def bound(names, args, kwargs):
    """Arguments by name; those that are not there are None."""
    given = {**dict(zip(names, args)), **kwargs}
    return [given.get(name) for name in names]


def normalised(x, dims, eps):
    mean, variance = one_pass(x, dims)
    return (x - mean) * torch.rsqrt(variance + eps)


def along_channels(x, weight, bias):
    shape = [1, -1] + [1] * (x.dim() - 2)
    x = x if weight is None else x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)


def one_pass_layer_norm(_function, args, kwargs):
    x, shape, weight, bias, eps = bound(("input", "normalized_shape", "weight", "bias", "eps"), args, kwargs)
    y = normalised(x, tuple(range(-len(shape), 0)), 1e-5 if eps is None else eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def one_pass_group_norm(_function, args, kwargs):
    x, groups, weight, bias, eps = bound(("input", "num_groups", "weight", "bias", "eps"), args, kwargs)
    grouped = x.reshape(x.shape[0], groups, -1)
    return along_channels(normalised(grouped, (2,), 1e-5 if eps is None else eps).reshape(x.shape), weight, bias)


def one_pass_by_channel(samples_apart):
    names = ("input", "running_mean", "running_var", "weight", "bias", "use_input_stats" if samples_apart else "training", "momentum", "eps")

    def norm(function, args, kwargs):
        x, _, _, weight, bias, own_statistics, _, eps = bound(names, args, kwargs)
        if not (samples_apart if own_statistics is None else own_statistics):
            return function(*args, **kwargs)  # no variance is taken
        dims = tuple(d for d in range(x.dim()) if d != 1 and not (samples_apart and d == 0))
        return along_channels(normalised(x, dims, 1e-5 if eps is None else eps), weight, bias)
    return norm


def one_pass_variance(root):
    def variance(function, args, kwargs):
        x, dims, unbiased = (*args, None, None)[:3] if len(args) < 4 else args[:3]
        if isinstance(dims, bool):
            dims, unbiased = None, dims
        dims = kwargs.get("dim", kwargs.get("axis", dims))
        correction = kwargs.get("correction", 1 if kwargs.get("unbiased", unbiased) in (None, True) else 0)
        keep = kwargs.get("keepdim", args[3] if len(args) > 3 else False)
        dims = tuple(range(x.dim())) if dims is None else tuple(dims) if isinstance(dims, (list, tuple)) else (dims,)
        found = one_pass(x, dims, correction)[1]
        found = found if keep else found.squeeze(dims)
        return found.sqrt() if root else found
    return variance


ONE_PASS = {"layer_norm": one_pass_layer_norm, "group_norm": one_pass_group_norm, "instance_norm": one_pass_by_channel(True),
            "batch_norm": one_pass_by_channel(False), "var": one_pass_variance(False), "std": one_pass_variance(True)}


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


def without_last(tensor, dim, count=1):
    """A copy, zero in the last indices of a dimension."""
    tensor = tensor.clone()
    tensor.narrow(dim, tensor.shape[dim] - count, count).zero_()
    return tensor


def equal_dims(tensor):
    """The last two dimensions of equal extent, or None."""
    pairs = [(a, b) for b in range(tensor.dim()) for a in range(b) if tensor.shape[a] == tensor.shape[b] > 1]
    return pairs[-1] if pairs else None


def numbers(what):
    return [int(word) for word in what.split()]


class StandIns:
    """For one draw. `run(inputs)` is the reference's forward as a list of its outputs, `outputs` what it makes of `inputs`; those in
    `fixed` are numbers, not tensors. `other()` makes another draw's inputs. Nothing is changed in place."""
    def __init__(self, model, run, inputs, outputs, fixed, other):
        self.model, self.run, self.inputs, self.outputs, self.fixed, self.make_other = model, run, inputs, outputs, fixed, other
        self.found = {}

    @property
    def other(self):
        if "inputs" not in self.found:
            self.found["inputs"] = self.make_other()
        return self.found["inputs"]

    @property
    def other_outputs(self):
        if "outputs" not in self.found:
            self.found["outputs"] = self.run(self.other)
        return self.found["outputs"]

    def listing(self, random):
        """What there is to try: kind, and what it is of; and how many parameters are left out. `random`: the forward draws numbers."""
        with Functions() as functions:
            self.run(self.inputs)
        outputs = [output for i, output in enumerate(self.outputs) if i not in self.fixed]
        found = [("zeros", ""), ("constant", ""), ("other_draw", "")]
        if any(output.dim() > 0 and output.shape[0] > 1 for output in outputs):
            found.append(("first_sample", ""))
        tensors = tensors_of(self.inputs)
        for i, tensor in enumerate(tensors):
            if len(self.outputs) == 1 and is_real(tensor) and is_real(self.outputs[0]) and fits(tensor, self.outputs[0]):
                found.append(("input", str(i)))
        for dim in range(outputs[0].dim() if outputs else 0):
            if outputs[0].shape[dim] > 1:
                found.append(("skip_last", str(dim)))
        if outputs and outputs[0].numel() > TILE * TILE:
            found.append(("skip_tile", ""))
        for i, tensor in enumerate(tensors):
            found.append(("other_input", str(i)))
            if is_real(tensor):
                found += [("zero_input", str(i)), ("negated_input", str(i))]
                found += [("short_input", f"{i} {dim}") for dim in range(tensor.dim()) if tensor.shape[dim] > 1]
            if equal_dims(tensor):
                found.append(("swapped_input", str(i)))
        named = [(name, parameter) for name, parameter in self.model.named_parameters() if is_real(parameter)]
        for name, parameter in named[:PARAMETER_LIMIT]:
            found += [("varied_parameter", name), ("zero_parameter", name), ("one_parameter", name)]
            found += [("swapped_parameter", name)] if equal_dims(parameter) else []
        found += [("without", name) for name in functions.seen if name in ACTIVATIONS or random and name in DROPOUTS]
        if "gelu" in functions.seen:
            found.append(("tanh_gelu", ""))
        if any(name in ONE_PASS for name in functions.seen):
            found.append(("one_pass", ""))
        found += [("half", "float16"), ("half", "bfloat16")]
        return found, max(0, len(named) - PARAMETER_LIMIT)

    def make(self, kind, what):
        if kind not in ("constant", "other_draw"):
            self.found.pop("outputs", None)  # the memory
        return getattr(self, "make_" + kind)(what)

    def changed(self, function):
        return [output if i in self.fixed else function(output) for i, output in enumerate(self.outputs)]

    def make_zeros(self, _):
        return self.changed(torch.zeros_like)

    def make_constant(self, _):
        """The mean of another draw's output: what could be known ahead."""
        return [value if i in self.fixed else torch.full_like(value, value.mean().item()) if is_real(value) else torch.zeros_like(value)
                for i, value in enumerate(self.other_outputs)]

    def make_other_draw(self, _):
        return self.other_outputs

    def make_first_sample(self, _):
        return self.changed(lambda t: t[:1].expand_as(t) if t.dim() > 0 and t.shape[0] > 1 else t)

    def make_input(self, what):
        output = self.outputs[0]
        return [tensors_of(self.inputs)[int(what)].to(output.dtype).expand_as(output)]

    def first_changed(self, function):
        """Of the first output that is a tensor."""
        first = next(i for i in range(len(self.outputs)) if i not in self.fixed)
        return [function(output) if i == first else output for i, output in enumerate(self.outputs)]

    def make_skip_last(self, what):
        return self.first_changed(lambda tensor: without_last(tensor, int(what)))

    def make_skip_tile(self, _):
        def skip(tensor):
            tensor, corner = tensor.clone(), tensor.dim() - 2
            tensor[tuple(slice(-1 if dim < corner else -min(TILE, extent), None) for dim, extent in enumerate(tensor.shape))] = 0
            return tensor
        return self.first_changed(skip)

    def with_input(self, index, change):
        count = iter(range(1 << 30))
        return self.run(map_tensors(self.inputs, lambda tensor: change(tensor) if next(count) == index else tensor))

    def make_other_input(self, what):
        other = tensors_of(self.other)[int(what)]
        if torch.equal(other, tensors_of(self.inputs)[int(what)]):
            raise ValueError("every draw has the same")
        return self.with_input(int(what), lambda _: other)

    def make_zero_input(self, what):
        return self.with_input(int(what), torch.zeros_like)

    def make_negated_input(self, what):
        return self.with_input(int(what), torch.neg)

    def make_short_input(self, what):
        index, dim = numbers(what)
        return self.with_input(index, lambda tensor: without_last(tensor, dim))

    def make_swapped_input(self, what):
        return self.with_input(int(what), lambda tensor: tensor.transpose(*equal_dims(tensor)).contiguous())

    @contextlib.contextmanager
    def parameters(self, change):
        """Parameters for which change(name, value) gives something else have that meanwhile."""
        before = {}
        with torch.no_grad():
            try:
                for name, parameter in self.model.named_parameters():
                    if (value := change(name, parameter)) is not None:
                        before[name] = parameter.clone()
                        parameter.copy_(value)
                yield
            finally:
                for name, parameter in self.model.named_parameters():
                    if name in before:
                        parameter.copy_(before[name])

    def with_parameter(self, wanted, change):
        with self.parameters(lambda name, value: change(value) if name == wanted else None):
            return self.run(self.inputs)

    def make_varied_parameter(self, what):
        def vary(value):
            generator = torch.Generator(device=value.device).manual_seed(1)
            noise = [torch.randn(value.shape, generator=generator, device=value.device).to(value.dtype) for _ in range(2)]
            size = value.float().square().mean().sqrt().item() or 1.0
            return value * (1 + noise[0] / 4) + noise[1] * size / 10
        return self.with_parameter(what, vary)

    def make_zero_parameter(self, what):
        return self.with_parameter(what, torch.zeros_like)

    def make_one_parameter(self, what):
        return self.with_parameter(what, torch.ones_like)

    def make_swapped_parameter(self, what):
        return self.with_parameter(what, lambda value: value.transpose(*equal_dims(value)).clone())

    def by_functions(self, instead):
        with Functions(instead):
            return self.run(self.inputs)

    def make_without(self, what):
        return self.by_functions({what: first_argument})

    def make_tanh_gelu(self, _):
        return self.by_functions({"gelu": tanh_gelu})

    def make_one_pass(self, _):
        return self.by_functions(ONE_PASS)

    def make_half(self, what):
        dtype = getattr(torch, what)
        with self.parameters(lambda _, value: rounded(value, dtype)):
            return self.run(map_tensors(self.inputs, lambda tensor: rounded(tensor, dtype)))


def fits(tensor, output):
    try:
        return torch.broadcast_shapes(tensor.shape, output.shape) == output.shape
    except RuntimeError:
        return False
