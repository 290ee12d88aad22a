# SPDX-License-Identifier: MIT
"""Parameters other than as initialised, and three ways to hand them to a model whose author's code is unknown.

A kernel that ignores a parameter is right as long as the parameter is zeros or ones. So the reference gets other values, and the
candidate must get the same ones however it keeps its own: Substitution gives them while its constructor runs (what is derived
there from a parameter follows), load() by name as a state dict, match() by looking for the values. A reference's worker and a
candidate's load this file; it says what it delivered, and the judge believes only the outputs.

Entries are (name, old, new): tensors on the CPU, old as the reference's constructor leaves the parameter under the same seed.
"""
import math

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.nn.modules import module as hooks
from torch.utils._python_dispatch import TorchDispatchMode

REGIMES = ("P1", "PI", "P+", "P-", "PR")  # and PB, see balanced()
BALANCED_BIAS = 0.7  # of what it is added to
PRODUCTS = (torch.nn.Linear, torch.nn.modules.conv._ConvNd)
SHIFTS = {"P+": 8, "P-": -3}  # times the rms of what a bias is added to: the least of a hundred is not below zero any more; most are
OVERWRITES = ("zero_", "fill_")


def rms(tensor):
    tensor = tensor.detach()
    value = tensor.double().square().mean().sqrt().item() if tensor.numel() else 0.0
    if math.isfinite(value):
        return value
    finite = tensor[torch.isfinite(tensor)]
    return rms(finite) if finite.numel() < tensor.numel() else 0.0


def is_constant(tensor):
    return tensor.numel() > 0 and bool((tensor == tensor.flatten()[0]).all())


def is_bias(name, tensor):
    """One that is added, as far as its name and its values tell: P+, P- and PR shift it."""
    broadcast = sum(extent != 1 for extent in tensor.shape) <= 1
    return "bias" in name.split(".")[-1] or broadcast and is_constant(tensor) and bool((tensor == 0).all())


def varied(name, p, generator):
    """P1 of one parameter. Identity-initialised: a constant c becomes c * U(0.5, 1.5), one in four with the other sign, since
    max(gamma * x) is not gamma * max(x); a zero becomes normal with standard deviation 0.5. One element alone is kept away from
    what it was, and from zero: it may be a divisor. A variance stays positive."""
    work = p.detach().to(torch.float64 if p.dtype == torch.float64 else torch.float32)

    def draw(make):
        return make(p.shape, generator=generator, dtype=work.dtype, device=p.device)

    def sign():
        return torch.where(draw(torch.rand) < 0.25, -1.0, 1.0).to(work.dtype)
    if p.numel() == 1:
        size, c = 0.25 + draw(torch.rand) / 4, work.item()
        away = torch.where(draw(torch.rand) < 0.5, 1 - size, 1 + size)  # 0.5 to 0.75, or 1.25 to 1.5
        new = (away if c == 0 else work * away) * (sign() if c in (0, 1) else 1)
    elif name.split(".")[-1] == "running_var":
        new = work * (0.5 + 1.5 * draw(torch.rand))
    elif is_constant(p):
        new = draw(torch.randn) * 0.5 if work.flatten()[0] == 0 else work * (0.5 + draw(torch.rand)) * sign()
    else:
        new = draw(torch.randn).div_(4).add_(1).mul_(work).add_(draw(torch.randn), alpha=rms(work) / 10)
    if not bool(torch.isfinite(new).all()):
        new = torch.where(torch.isfinite(work), new, work)  # a mask's infinities stay
    return new.to(p.dtype)


def whole_numbers(p, new):
    """PI of one parameter: weights that are small whole numbers times a power of two, all else eighths. With inputs that are whole numbers
    products are exact then, in TF32 too, and what is done to them afterwards can be judged closely."""
    if p.dim() > 1 and not is_constant(p):
        unit = 2.0 ** math.floor(math.log2(rms(p))) if rms(p) > 0 else 0.5
        return torch.round((new - new.mean()) / max(rms(new), 1e-30)).clamp_(-2, 2).mul_(unit).to(p.dtype)
    return torch.where(torch.isfinite(new) & (new != 0), torch.sign(new) * torch.clamp(torch.round(new.abs() * 8), min=1) / 8, new)


def generator_at(device, seed, place):
    """Where the parameter lies: on the CPU a large one takes seconds."""
    return torch.Generator(device=device).manual_seed((seed + place * 0x9E3779B97F4A7C15) % (1 << 63))


def perturb(parameters, seed, regime, shifts=None, reach=0):
    """New values for the floating ones of an ordered dict, by seed and place alone. P1: see varied(). P+ and P-: P1, and what is
    like a bias is shifted up or down by so many times `shifts` tell, so that no relu, clamp or gelu behind it hides what comes before.
    PR: the same, `reach` times, so that one that is out of their reach does something: see reach.py."""
    if regime not in REGIMES:
        raise ValueError(f"regime {regime!r} is none of {', '.join(REGIMES)}")
    made = {}
    for i, (name, p) in enumerate(parameters.items()):
        if not p.is_floating_point():
            continue
        made[name] = varied(name, p, generator_at(p.device, seed, i + 1))
        if regime == "PI":
            made[name] = whole_numbers(p, made[name])
        elif regime != "P1" and is_bias(name, p):
            shift = (shifts or {}).get(name) or rms(p) or 1.0
            made[name] += SHIFTS.get(regime, reach) * shift
    return made


def run_watched(watched, inputs, run):
    """run(inputs) while each of the (module, hook) has its forward hook."""
    handles = []
    try:
        for module, hook in watched:
            handles.append(module.register_forward_hook(hook))
        run(inputs)
    finally:
        for handle in handles:
            handle.remove()


def bias_shifts(model, inputs, run):
    """For each bias the rms of what the module that owns it gives in one forward, run(inputs); of the next module around it that
    was called, where a module's parameters are used without calling it. The forward may change buffers: give a copy of the model."""
    squares = {}

    def note(name):
        def hook(_module, _arguments, output):
            while isinstance(output, (list, tuple, dict)) and output:
                output = next(iter(output.values())) if isinstance(output, dict) else output[0]
            if isinstance(output, torch.Tensor) and output.is_floating_point() and (size := rms(output)) > 0:
                squares.setdefault(name, []).append(size * size)
        return hook
    run_watched([(module, note(name)) for name, module in model.named_modules()], inputs, run)
    shifts = {}
    for name, p in model.named_parameters():
        owner = name.rpartition(".")[0]
        while owner and owner not in squares:
            owner = owner.rpartition(".")[0]
        if p.is_floating_point() and is_bias(name, p) and owner in squares:
            shifts[name] = (sum(squares[owner]) / len(squares[owner])) ** 0.5
    return shifts


def products(model):
    """(name, module) of each whose output is a product with its weight, plus its bias if it has one."""
    return [(name, module) for name, module in model.named_modules() if isinstance(module, PRODUCTS)]


def balanced(model, inputs, run, seed):
    """PB: P1, and each product's weight times what makes its output's rms one in this forward, its bias normal beside that. As
    constructed a deep model's layers shrink what they are given, so that its output tells its last ones only; and a bias much smaller than
    what it is added to is lost in a sum. Changes the model, which has P1, and its buffers: give a copy. Returns its parameters."""
    done = set()

    def hook(module, _arguments, output):
        weight, bias = module.weight, module.bias
        if id(weight) in done or not isinstance(output, torch.Tensor) or not output.is_floating_point():
            return None
        done.add(id(weight))
        shape = (-1, *(1,) * len(getattr(module, "kernel_size", ())))
        product = output if bias is None else output - bias.reshape(shape)
        size = rms(product)
        if size == 0:
            return None
        weight.data.div_(size)
        product = product / size
        if bias is None:
            return product
        generator = generator_at(bias.device, seed, len(done))
        bias.data.copy_(torch.randn(bias.shape, generator=generator, dtype=torch.float32, device=bias.device) * BALANCED_BIAS)
        return product + bias.reshape(shape)
    run_watched([(module, hook) for _, module in products(model)], inputs, run)
    return {name: p.detach() for name, p in model.named_parameters() if p.is_floating_point()}


def is_plain(tensor):
    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided:
        return False
    return tensor.is_floating_point() and tensor.device.type != "meta"


def is_dense(tensor):
    """Every element of a stretch of memory once, in whatever order of dimensions."""
    expected = 1
    for stride, extent in sorted((s, e) for s, e in zip(tensor.stride(), tensor.shape) if e != 1):
        if stride != expected:
            return False
        expected *= extent
    return tensor.numel() > 0


def head(tensor):
    """Some of its first elements. Most tensors of one shape differ there already; to compare all takes as long as to make them."""
    return tensor.detach()[(0,) * (tensor.dim() - 1)][:8] if tensor.dim() else tensor.detach()


def write(target, values):
    with torch.inference_mode() if target.is_inference() else torch.no_grad():
        target.copy_(values)


class Place:
    """Where an entry's new values lie. It does not keep them alive: a constructor's temporaries must not cost memory."""
    def __init__(self, tensor):
        self.storage = StorageWeakRef(tensor.untyped_storage())
        self.kind = {"dtype": tensor.dtype, "device": tensor.device}
        self.starts_at, self.layout = tensor.storage_offset(), (tensor.size(), tensor.stride())

    def tensor(self):
        storage = torch.UntypedStorage._new_with_weak_ptr(self.storage.cdata)
        return None if storage is None else torch.empty(0, **self.kind).set_(storage, self.starts_at, *self.layout)


class Entry:
    def __init__(self, name, old, new, index):
        self.name, self.old, self.new, self.index = name, old.detach(), new.detach(), index
        self.leaf = name.split(".")[-1]
        self.delivered, self.place, self.moved = False, None, []

    def is_kept(self):
        """Whether some tensor that has its new values is alive."""
        return self.place is not None and not all(storage.expired() for storage in (self.place.storage, *self.moved))


class Group:
    """Entries that cannot be told apart by their old values. Zeros and ones are anybody's values, a workspace's or a step on the way
    to others: only what is a parameter, or is registered by an entry's name, gets new ones for them."""
    def __init__(self, old):
        self.old, self.entries, self.on = old, [], {}
        self.common = is_constant(old) and old.flatten()[0].item() in (0, 1, -1)

    def old_on(self, device):
        if device not in self.on:
            self.on[device] = self.old.to(device)
        return self.on[device]


def key_of(tensor):
    return tuple(head(tensor).flatten().tolist()) if tensor.numel() else ()


class Kind:
    """What an operator does to its arguments, by its schema."""
    def __init__(self, function):
        name = function._schema.name.split("::")[-1]
        written = [argument.alias_info is not None and argument.alias_info.is_write for argument in function._schema.arguments]
        self.places = [i for i, is_written in enumerate(written) if is_written]
        self.names = [a.name for a, is_written in zip(function._schema.arguments, written) if is_written]
        self.makes_blank = name.startswith(("empty", "new_empty"))
        self.moves = name == "_to_copy"
        self.overwrites = name in OVERWRITES or torch.Tag.nondeterministic_seeded in function.tags


def tensors_in(values):
    """Those among arguments or results of an operator."""
    for value in values if isinstance(values, (list, tuple)) else [values]:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (item for item in value if isinstance(item, torch.Tensor))


class Substitution(TorchDispatchMode):
    """Channel A. While a constructor runs under it, a tensor that an operator leaves with an entry's old values gets its new ones,
    each entry once: of those with the same old values the one whose last name is the parameter's, else the first. `delivered`
    tells which. No random number is drawn, and what goes wrong in here stays in here."""
    def __init__(self, entries):
        super().__init__()
        self.entries = [Entry(name, old, new, i) for i, (name, old, new) in enumerate(entries)]
        self.groups, self.kinds, self.steps = {}, {}, 0
        for entry in self.entries:
            alike = self.groups.setdefault((tuple(entry.old.shape), entry.old.dtype), {}).setdefault(key_of(entry.old), [])
            group = next((g for g in alike if torch.equal(g.old, entry.old)), None)
            if group is None:
                alike.append(group := Group(entry.old))
            group.entries.append(entry)
            entry.group = group
        self.leaves = {entry.leaf for entry in self.entries}
        # By storage: entries whose new values lie there; what it is registered as; made and not yet written; when it last had old values.
        self.held, self.registered, self.blank, self.made = {}, {}, {}, {}
        self.partial_budget = (1 << 22) + 8 * sum(entry.old.numel() for entry in self.entries)
        self.handles = []

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # to skip it PyTorch imports its compiler: seconds, and memory

    @property
    def delivered(self):
        return [entry.name for entry in self.entries if entry.delivered]

    def __enter__(self):
        def note(is_parameter):
            return lambda _module, name, tensor: self.safely(self.register, name, tensor, is_parameter)
        self.handles = [hooks.register_module_parameter_registration_hook(note(True)),
                        hooks.register_module_buffer_registration_hook(note(False))]
        return super().__enter__()

    def __exit__(self, *raised):
        for handle in self.handles:
            handle.remove()
        for entry in self.entries:
            entry.group.on.clear()
        return super().__exit__(*raised)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        before = self.safely(self.before, function, args, kwargs)
        result = function(*args, **kwargs)
        if before is not None:
            self.safely(self.after, before, args, result)
        return result

    def safely(self, step, *arguments):
        try:
            return step(*arguments)
        except Exception:  # the constructor's author has nothing to do with it
            return None

    def before(self, function, args, kwargs):
        """Zeros and ones that are about to be written come back as they were: they may be a step on the way to other values. And a
        parameter that is about to be read has its new values before that, though no module knows it yet."""
        kind = self.kinds.get(function)
        if kind is None:
            kind = self.kinds[function] = Kind(function)
        written = list(tensors_in([args[i] for i in kind.places if i < len(args)] + [kwargs[n] for n in kind.names if n in kwargs]))
        touched = []
        for tensor in written:
            storage = tensor.untyped_storage()._cdata
            self.blank.pop(storage, None)
            for entry in self.held.pop(storage, []):
                touched.append((entry, entry.place.tensor()))
                if entry.group.common:
                    self.take_back(entry)
        for tensor in tensors_in(args):
            if isinstance(tensor, torch.nn.Parameter) and not any(tensor is w for w in written):
                self.offer(tensor)
        return kind, written, touched

    def after(self, before, args, result):
        kind, written, touched = before
        if kind.makes_blank:
            for tensor in tensors_in(result):
                storage = tensor.untyped_storage()
                self.blank[storage._cdata] = StorageWeakRef(storage)
            return
        for entry, tensor in touched:
            if entry.place is None:  # taken back
                self.offer(tensor, entry)
            elif torch.equal(tensor, entry.new.to(tensor.device)):
                self.held.setdefault(entry.place.storage.cdata, []).append(entry)
            else:  # scaled in place, say, which is a use of them; or all new
                entry.delivered, entry.place = entry.delivered and not kind.overwrites, None
        for tensor in (*tensors_in(result), *written):
            self.offer(tensor)
        for tensor in written:
            base = tensor._base
            if base is not None and (tuple(base.shape), base.dtype) in self.groups and base.numel() <= self.partial_budget:
                self.partial_budget -= base.numel()
                self.offer(base)  # the row that was written may be the last that was missing
        if kind.moves and isinstance(result, torch.Tensor):
            for entry in self.held.get(next(tensors_in(args)).untyped_storage()._cdata, []):
                entry.moved.append(StorageWeakRef(result.untyped_storage()))

    def register(self, name, tensor, is_parameter):
        if not isinstance(tensor, torch.Tensor):
            return
        storage = tensor.untyped_storage()
        key = storage._cdata
        if is_parameter > self.registered.get(key, (name, -1))[1]:
            self.registered[key] = (name, is_parameter, StorageWeakRef(storage))
        for entry in list(self.held.get(key, [])):  # given before it had a name
            if entry.group.common and entry.leaf != name and self.choose(entry.group, name, True) is not None:
                self.take_back(entry)
        self.offer(tensor)

    def choose(self, group, leaf, only_leaf):
        """The entry to give: none that a live tensor has. One that was given, to what has died since, only by its own last name; and
        a norm's statistics as well, which are no parameters."""
        free = [e for e in group.entries if not e.is_kept() and
                (e.leaf == leaf or not only_leaf and not e.delivered and not e.leaf.startswith("running_"))]
        return min(free, key=lambda e: (e.leaf != leaf, e.delivered, e.index), default=None)

    def offer(self, tensor, last=None):
        """Gives new values to a tensor that has an entry's old ones."""
        groups = self.groups.get((tuple(tensor.shape), tensor.dtype))
        if not groups or not is_plain(tensor) or not is_dense(tensor):
            return
        if tensor.is_cuda and torch.cuda.is_current_stream_capturing():  # a comparison would break it
            return
        storage = tensor.untyped_storage()._cdata
        if storage in self.blank:
            return
        leaf, is_parameter, _ = self.registered.get(storage, (None, isinstance(tensor, torch.nn.Parameter), None))
        for group in groups.get(key_of(tensor), ()):
            if group.common and not is_parameter and leaf not in self.leaves:
                continue
            if any(e.group is group and e.place.starts_at == tensor.storage_offset() for e in self.held.get(storage, [])):
                return  # it has them: new values may be like the old
            if not torch.equal(tensor.detach(), group.old_on(tensor.device)):
                continue
            self.steps += 1
            self.made[storage] = (self.steps, StorageWeakRef(tensor.untyped_storage()))
            entry, robbed = self.choose(group, leaf, group.common and not is_parameter), None
            if last in group.entries and not last.is_kept() and (entry is None or entry.leaf != leaf or last.leaf == leaf):
                entry = last
            if group.common and (entry is None or entry.leaf != leaf):  # another tensor may have what has this one's name
                wrong = [e for e in group.entries if e.leaf == leaf and e.place and self.name_at(e.place.storage.cdata) != leaf]
                if wrong:
                    entry, robbed = wrong[0], self.take_back(wrong[0])
            if entry is not None:
                if entry.place is not None:  # that storage is dead, and its address may come again
                    self.held.pop(entry.place.storage.cdata, None)
                write(tensor, entry.new)
                entry.delivered, entry.place, entry.moved = True, Place(tensor), []
                self.held.setdefault(storage, []).append(entry)
            if robbed is not None:
                self.offer(robbed)
            return

    def name_at(self, storage):
        return self.registered.get(storage, (None,))[0]

    def take_back(self, entry):
        """Old values for the tensor that has an entry's new ones; returns it."""
        tensor, storage = entry.place.tensor(), entry.place.storage.cdata
        if tensor is not None:
            write(tensor, entry.old)
        self.held[storage] = [e for e in self.held.get(storage, []) if e is not entry]
        entry.delivered, entry.place = False, None
        return tensor


def in_order(entries, build):
    """Entries in the order in which the reference's constructor, run by build() under its seed, makes them: what Substitution goes by
    where their old values are the same. (named_parameters() has a module's own before its children's, whichever were made first.)"""
    with Substitution([(name, old, old) for name, old, _ in entries]) as substitution:
        model = build()
    made = {name: substitution.made[key][0] for name, tensor in (*model.named_parameters(), *model.named_buffers())
            if (key := tensor.untyped_storage()._cdata) in substitution.made}
    return sorted(entries, key=lambda entry: made.get(entry[0], float("inf")))


def everything(model):
    """(name, tensor) of all floating tensors that a model holds, its parameters first, then its buffers, then whatever lies in an
    attribute, or in a list, tuple or dict there, of any module, itself registered or not."""
    found, modules = {}, [("", model)]

    def add(name, value):
        if is_plain(value) and not any(stride == 0 and extent > 1 for stride, extent in zip(value.stride(), value.shape)):
            found.setdefault((name, id(value)), value)
        elif isinstance(value, torch.nn.Module) and not any(value is module for _, module in modules):
            modules.append((name, value))
    for name, value in (*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)):
        add(name, value)
    for prefix, module in modules:  # grows meanwhile
        for key, value in vars(module).items():
            name = "" if key in ("_parameters", "_buffers", "_modules") else key
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else [("", value)]
            for part, item in list(items):
                add(".".join(str(word) for word in (prefix, name, part) if word != ""), item)
    return [(name, value) for (name, _), value in found.items()]


def transposed(tensor):
    return tensor.mT if tensor.dim() > 1 else None


# How a tensor may hold an entry's values, the likeliest first. Where the shape is another one, the order of elements is the same.
RULES = (lambda tensor, shape, named: tensor if named and tensor.shape == shape else None,
         lambda tensor, shape, named: tensor if tensor.shape == shape else None,
         lambda tensor, shape, named: transposed(tensor) if tensor.dim() > 1 and tensor.mT.shape == shape else None,
         lambda tensor, shape, named: tensor,
         lambda tensor, shape, named: transposed(tensor))
STACKS = (lambda tensor: tensor, transposed, lambda tensor: tensor.flatten(0, 1) if tensor.dim() > 1 and tensor.is_contiguous() else None)


def same(tensor, values):
    """Whether a tensor holds the values, as its type can."""
    try:
        if tensor is None or tensor.numel() != values.numel():
            return False
        values = values.reshape(tensor.shape)
        return all(torch.equal(some(tensor.detach()), some(values).to(tensor.dtype)) for some in (head, torch.Tensor.detach))
    except Exception:  # a type that has no comparison
        return False


def search(model, entries, which, others=()):
    """(entry, part of a tensor of the model) wherever it holds the old (1) or new (2) values of entries: as they are, transposed,
    reshaped, or several along dimension 0 of one tensor, where others may lie between them, with their new values. Values that are all
    the same may be anybody's: for an entry that has such, one tensor alone is taken, in order."""
    tensors, sizes, hosts, used, given = everything(model), {}, {}, set(), set()
    constant = {entry[0]: is_constant(entry[which]) for entry in (*entries, *others)}
    for entry in entries:
        sizes.setdefault(entry[1].numel(), []).append(entry)
    sought = {entry[0] for entry in entries}

    def host(tensor):
        if tensor.device.type == "cpu":
            return tensor
        return hosts.setdefault(id(tensor), tensor.detach().cpu() if id(tensor) not in hosts else None)

    def is_free(entry):
        return not (constant[entry[0]] and entry[0] in given)

    def parts_of(shown):
        parts, row = [], 0
        while shown is not None and shown.dim() > 0 and row < shown.shape[0]:
            for entry in (*entries, *others):
                shape = entry[1].shape
                if len(shape) != shown.dim() or shape[1:] != shown.shape[1:] or shape[0] == 0 or row + shape[0] > shown.shape[0]:
                    continue
                piece, taken = shown[row:row + shape[0]], constant[entry[0]] and any(entry is part[0] for part in parts)
                if entry[0] in sought and is_free(entry) and not taken and same(piece, entry[which]):
                    parts.append((entry, row, True))
                elif same(piece, entry[2]):
                    parts.append((entry, row, False))
                else:
                    continue
                row += shape[0]
                break
            else:
                return []
        return parts if len(parts) > 1 else []

    for rule in RULES:
        for name, tensor in tensors:
            for entry in sizes.get(tensor.numel(), ()) if tensor.data_ptr() not in used else ():
                target = rule(tensor, entry[1].shape, name == entry[0])
                if target is not None and is_free(entry) and same(rule(host(tensor), entry[1].shape, name == entry[0]), entry[which]):
                    used.add(tensor.data_ptr())
                    given.add(entry[0])
                    yield entry, target
                    break
    for name, tensor in tensors:
        for form in STACKS:
            parts = parts_of(form(host(tensor))) if tensor.data_ptr() not in used else []
            for entry, row, is_sought in parts:
                used.add(tensor.data_ptr())
                if is_sought:
                    given.add(entry[0])
                    yield entry, form(tensor)[row:row + entry[1].shape[0]]


def match(model, entries, delivered=()):
    """Channel C, after construction: gives new values to whatever holds old ones, for all entries but the delivered; names them.
    First it puts right, by name, what Substitution could not know: which copy of a module is which, which module is thrown away."""
    found, named = [], {}
    for name, tensor in everything(model):
        named.setdefault(name, tensor)
    for name, old, new in entries:
        tensor = named.get(name)
        if tensor is None or tensor.shape != old.shape:
            continue
        value, twins = tensor.detach().cpu(), [e for e in entries if e[0] != name and e[1].shape == old.shape]
        is_late = name in delivered and same(value, old)  # to one that is gone
        if is_late or not same(value, new) and any(same(value, e[2]) and torch.equal(e[1], old) for e in twins):
            write(tensor, new)
            found.append(name)
    left = [entry for entry in entries if entry[0] not in delivered and entry[0] not in found]
    others = [entry for entry in entries if not any(entry is e for e in left)]
    for entry, target in search(model, left, 1, others):
        write(target, entry[2].reshape(target.shape))
        found.append(entry[0])
    return list(dict.fromkeys(found))


def holds(model, entries):
    """The names of entries whose new values the model has somewhere. One that its constructor folded into another it has not."""
    return list(dict.fromkeys(entry[0] for entry, _ in search(model, entries, 2)))


def load(model, state):
    """Channel B: (whether the model took the state by load_state_dict, why not). It must have the same parameters and no others."""
    try:
        own, parameters = model.state_dict(), dict(model.named_parameters(remove_duplicate=False))
        for name, value in state.items():
            if name not in own:
                return False, f"it has no {name}"
            if own[name].shape != value.shape:
                return False, f"{name} has shape {list(own[name].shape)}, not {list(value.shape)}"
        given = {id(parameters[name]): state[name] for name in state if name in parameters}
        for name, p in parameters.items():
            if p.is_floating_point() and id(p) not in given:
                return False, f"it has a parameter besides, {name}"
        tied = {name: given[id(p)] for name, p in parameters.items() if id(p) in given}
        model.load_state_dict({**own, **state, **{name: value for name, value in tied.items() if name in own}}, strict=True)
        return True, ""
    except Exception as error:  # a method of its own
        return False, " ".join(f"{type(error).__name__}: {error}".split())[:200]
