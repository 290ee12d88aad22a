# SPDX-License-Identifier: MIT
"""Right implementations of one forward, which differ from each other as honest kernels may: in the order of their sums and, where
there are products, in TF32. How far they are from float64 is what an honest kernel may be.
"""
import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
# Products: where their operands are, and the dimensions that are summed over.
PRODUCTS = {aten.mm: (0, 1, -1, -2), aten.bmm: (0, 1, -1, -2), aten.addmm: (1, 2, -1, -2), aten.baddbmm: (1, 2, -1, -2), aten.mv: (0, 1, -1, 0),
            aten.addmv: (1, 2, -1, 0), aten.dot: (0, 1, 0, 0), aten.convolution: (0, 1, 1, 1)}
SUMS = (aten.sum, aten.mean)


def nearest(x):
    """float32 to TF32's ten bits of fraction, as a tensor core's operand is rounded by the library."""
    bits = x.view(torch.int32)
    return torch.where(torch.isfinite(x), ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32), x)


def truncated(x):
    """As a tensor core takes plain float32: the low bits are not looked at."""
    return torch.where(torch.isfinite(x), (x.view(torch.int32) & ~0x1FFF).view(torch.float32), x)


class Rounded(TorchDispatchMode):
    """Rounds the operands of every float32 product."""
    def __init__(self, rounding):
        super().__init__()
        self.rounding, self.products = rounding, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = PRODUCTS.get(func.overloadpacket)
        if found and all(args[i].dtype == torch.float32 for i in found[:2]):
            self.products += 1
            args = [self.rounding(a) if i in found[:2] else a for i, a in enumerate(args)]
        return func(*args, **(kwargs or {}))


class Reordered(TorchDispatchMode):
    """The terms of products and sums in another order."""
    def __init__(self):
        super().__init__()
        self.products, self.moved = 0, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        packet, args = func.overloadpacket, list(args)
        if packet in PRODUCTS:
            self.products += 1
            self.moved += 1
            first, second, dim_a, dim_b = PRODUCTS[packet]
            if packet is aten.convolution:
                dim_b = 0 if args[6] else 1  # transposed: a weight's first dimension is the input's
            if packet is not aten.convolution or args[8] == 1:  # groups keep their channels
                order = torch.randperm(args[first].shape[dim_a], generator=torch.Generator().manual_seed(1)).to(args[first].device)
                args[first] = args[first].index_select(dim_a, order)
                args[second] = args[second].index_select(dim_b, order)
        elif packet in SUMS and args and isinstance(args[0], torch.Tensor) and args[0].dim() and args[0].is_floating_point():
            self.moved += 1
            args[0] = args[0].flip(tuple(range(args[0].dim()))) if len(args) < 2 or not args[1] else args[0].flip(tuple(args[1]))
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def taken_apart(model):
    """Attention and recurrent layers as products that a mode can see, not as one call of a library."""
    with contextlib.ExitStack() as stack:
        try:
            from torch.nn.attention import SDPBackend, sdpa_kernel
            stack.enter_context(sdpa_kernel([SDPBackend.MATH]))
        except ImportError:
            pass
        if any(isinstance(module, torch.nn.RNNBase) for module in model.modules()):
            stack.enter_context(torch.backends.cudnn.flags(enabled=False))
            stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        yield


def nudged(inputs):
    """Inputs one unit of rounding away: what this does to an output, the rounding inside of an honest kernel does as well."""
    moved = []
    for i, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            up = torch.rand(value.shape, generator=torch.Generator(device=value.device).manual_seed(i), device=value.device) < 0.5
            value = torch.where(up, value * (1 + torch.finfo(value.dtype).eps), value * (1 - torch.finfo(value.dtype).eps))
        moved.append(value)
    return moved


def halves(forward, inputs):
    """The forward of two halves of the batch; None where there is no batch. Whether the model treats samples apart is for the caller
    to see from the result."""
    tensors = [t for t in inputs if isinstance(t, torch.Tensor) and t.dim()]
    sizes = {t.shape[0] for t in tensors}
    if len(sizes) != 1 or (size := sizes.pop()) < 2:
        return None
    parts = [tried(forward, [t[a:b] if isinstance(t, torch.Tensor) and t.dim() else t for t in inputs]) for a, b in ((0, size // 2), (size // 2, size))]
    if not all(isinstance(part, torch.Tensor) and part.dim() for part in parts) or parts[0].shape[0] + parts[1].shape[0] != size:
        return None
    return torch.cat(parts)


def tried(forward, inputs):
    """A forward that may not like what was done to its inputs: a symmetric one is not symmetric any more, or dimension 0 was no batch. Then
    it is no member."""
    try:
        return forward(inputs)
    except torch.cuda.OutOfMemoryError:
        raise
    except Exception as error:
        if "CUDA" in str(error):
            raise
        return None


def members(model, forward, inputs, outputs, set_tf32, cuda):
    """(name, outputs) one after the other; names of those in TF32 begin with it. `set_tf32(flag)` sets the library's. `outputs`: of the
    forward with default flags, which on the CPU are all there are."""
    set_tf32(False)
    yield "eager", forward(inputs) if cuda else outputs
    if (outputs := tried(forward, nudged(inputs))) is not None:
        yield "nudged", outputs
    mode = Reordered()
    with taken_apart(model), mode:
        outputs = tried(forward, inputs)
    if mode.moved == 0 or outputs is None:
        return  # neither sums nor products that the mode can see: what else there is, is the library's alone
    yield "reordered", outputs
    del outputs
    if (outputs := halves(forward, inputs)) is not None:
        yield "halves", outputs
    del outputs
    if next((p.dtype for p in model.parameters()), torch.float32) != torch.float32 or any(
            isinstance(t, torch.Tensor) and t.dtype in (torch.float16, torch.bfloat16) for t in inputs):
        return  # float16 and bfloat16 have no TF32
    if mode.products == 0:
        return
    if cuda:
        set_tf32(True)
        yield "tf32_library", forward(inputs)
        set_tf32(False)
    for name, rounding in (("tf32_nearest", nearest), ("tf32_truncated", truncated)):
        with taken_apart(model), Rounded(rounding):
            outputs = forward(inputs)
        yield name, outputs
        del outputs
