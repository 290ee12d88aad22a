# SPDX-License-Identifier: MIT
"""The worker's bootstrap.

It runs in every worker, trusted (the reference, with reference.py) or not (the candidate). It answers typed JSON requests
on a socket and runs the hot hand-over on a shared page. The judge believes nothing that it says: what counts are the bytes in
the output buffers, and the judge's own clock. Whatever a candidate breaks in here, it breaks its own evaluation only. The
protocol is in src/worker/README.md.
"""
import contextlib
import ctypes
import importlib.util
import json
import math
import mmap
import os
import random
import socket
import struct
import sys
import tarfile
import time
import traceback

import torch

BOX = os.path.dirname(os.path.abspath(__file__))
SOCKET_FD, PAGE_FD, BUNDLE_FD = 3, 4, 5
TEXT_LIMIT, PART_BYTES, PART_LIMIT = 16 << 10, 128 << 10, 32
# Indices of 32-bit words in the shared page; the worker's claims follow as float64 at byte 64.
ARM, READY, GO, RAN, TAKE, DONE, STATUS, SLOT_IN, SLOT_OUT = range(9)
CLAIMS_OFFSET, FUTEX_WAIT, FUTEX_WAKE = 64, 0, 1
SYS_FUTEX = {"x86_64": 202, "aarch64": 98}[os.uname().machine]


class Refusal(Exception):
    """A failure with a stable code that the judge knows."""
    def __init__(self, code, text, trace=""):
        super().__init__(text)
        self.code, self.text, self.trace = code, text, trace


def one_line(text, limit=600):
    text = " ".join(str(text).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


# How the CPU's allocator, the driver, and libraries that take memory of their own say it.
OUT_OF_MEMORY = ("can't allocate memory", "CUDA error: out of memory", "STATUS_ALLOC_FAILED")


def refusal_of(error, code):
    """Names what went wrong in somebody else's code; `code` is what it is unless the exception says more."""
    if isinstance(error, Refusal):
        return error
    kind = type(error)
    try:
        text = str(error)
    except BaseException:  # an exception can lie or fail in __str__ too
        text = "(the exception has no text)"
    if isinstance(error, MemoryError) or kind.__name__ == "OutOfMemoryError" or any(words in text for words in OUT_OF_MEMORY):
        code = "out_of_memory"
    elif "Error building extension" in text or (kind.__module__ or "").startswith("triton.compiler"):
        code = "build_error"
    trace = "".join(traceback.format_exception(kind, error, error.__traceback__, limit=-20))
    return Refusal(code, one_line(f"{kind.__name__}: {text}"), trace)


DTYPES = {name: getattr(torch, name) for name in ("float64 float32 float16 bfloat16 complex64 complex128 "
                                                  "int64 int32 int16 int8 uint8 bool").split()}


def encode(value, slots, numbers_as_slots, depth=0):
    """`value` as a JSON tree. Tensors go to `slots` (and with numbers_as_slots, numbers too, as outputs need it)."""
    if depth > 16:
        raise Refusal("unsupported", "values are nested more than 16 deep")
    if isinstance(value, torch.Tensor):
        name = str(value.dtype).split(".")[-1]
        if name not in DTYPES or value.layout != torch.strided:
            raise Refusal("unsupported", f"a tensor of type {value.dtype}, layout {value.layout} is not supported")
        slots.append(value)
        return {"t": "tensor", "slot": len(slots) - 1, "dtype": name, "shape": list(value.shape),
                "stride": list(torch.empty_like(value, device="meta").stride())}
    if isinstance(value, (list, tuple)):
        items = [encode(v, slots, numbers_as_slots, depth + 1) for v in value]
        return {"t": "list" if isinstance(value, list) else "tuple", "items": items}
    if isinstance(value, dict):
        if not all(isinstance(k, str) for k in value):
            raise Refusal("unsupported", "a dict whose keys are not strings is not supported")
        items = [encode(v, slots, numbers_as_slots, depth + 1) for v in value.values()]
        return {"t": "dict", "keys": list(value), "items": items}
    if value is None:
        return {"t": "none"}
    if isinstance(value, (bool, int, float)):
        kind = type(value).__name__ if type(value) in (bool, int) else "float"
        if numbers_as_slots:
            dtype = {"bool": "bool", "int": "int64", "float": "float64"}[kind]
            slots.append(torch.tensor(value, dtype=DTYPES[dtype]))
            return {"t": kind, "slot": len(slots) - 1, "dtype": dtype, "shape": [], "stride": []}
        return {"t": kind, "v": value.hex() if kind == "float" else str(int(value))}
    if isinstance(value, str) and len(value) <= 4096:
        return {"t": "str", "v": value}
    if isinstance(value, torch.dtype):
        return {"t": "dtype", "v": str(value).split(".")[-1]}
    raise Refusal("unsupported", f"a value of type {type(value).__name__} is not supported")


def decode(tree, tensors):
    kind = tree["t"]
    if kind == "tensor":
        return tensors[tree["slot"]]
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(decode(item, tensors) for item in tree["items"])
    if kind == "dict":
        return dict(zip(tree["keys"], (decode(item, tensors) for item in tree["items"])))
    return {"float": float.fromhex, "int": int, "bool": lambda v: bool(int(v)), "dtype": lambda v: getattr(torch, v),
            "str": str, "none": lambda _: None}[kind](tree.get("v"))


def dense_strides(value):
    """The strides of a tensor without gaps or overlaps in memory; None for others. Dimensions of one have stride 1."""
    size, strides = 1, [1] * value.dim()
    for dim in sorted((d for d in range(value.dim()) if value.shape[d] != 1), key=value.stride):
        if value.stride(dim) != size:
            return None
        strides[dim] = size
        size *= value.shape[dim]
    return strides if size and value.dim() <= 8 else None


def store(value, tree, tensors, device, where="output", orders=None):
    """Copies `value`, which must be built as `tree` says, into the buffers behind `tensors`. With `orders`, a dict that lives as long
    as a hand-over, a tensor is stored in the order of memory in which the first one lies, and `orders` says it by slot: to
    bring it into the reference's order would take longer than a plain copy, and is not the forward's work."""
    kind = tree["t"]
    if kind == "tensor":
        if not isinstance(value, torch.Tensor):
            raise Refusal("wrong_structure", f"{where}: expected a tensor, got {type(value).__name__}")
        if list(value.shape) != tree["shape"]:
            raise Refusal("wrong_shape", f"{where}: expected shape {tree['shape']}, got {list(value.shape)}")
        if value.dtype != DTYPES[tree["dtype"]]:
            raise Refusal("wrong_dtype", f"{where}: expected {tree['dtype']}, got {str(value.dtype).split('.')[-1]}")
        if value.device.type != device.type:
            raise Refusal("wrong_structure", f"{where}: expected a tensor on {device.type}, got one on {value.device}")
        target = tensors[slot := tree["slot"]]
        if orders is not None:
            if slot not in orders:
                orders[slot] = None if value.stride() == target.stride() else dense_strides(value)
            if orders[slot]:
                target = target.as_strided(value.shape, orders[slot])
        target.copy_(value)
    elif "items" in tree:
        named, size = kind == "dict", len(tree["items"])
        keys = tree["keys"] if named else range(size)
        if not isinstance(value, dict if named else (list, tuple)) or len(value) != size or named and set(value) != set(keys):
            got = f"{type(value).__name__} of {len(value)}" if hasattr(value, "__len__") else type(value).__name__
            raise Refusal("wrong_structure", one_line(f"{where}: expected a {kind} of {list(keys)}, got a {got}"))
        for key, item in zip(keys, tree["items"]):
            store(value[key], item, tensors, device, f"{where}[{key!r}]", orders)
    elif "slot" in tree:
        if not isinstance(value, (bool, int, float)):
            raise Refusal("wrong_structure", f"{where}: expected a {kind}, got {type(value).__name__}")
        tensors[tree["slot"]].fill_(value)
    elif value != tree.get("v"):  # None, or a string
        raise Refusal("wrong_output", one_line(f"{where}: expected {tree.get('v')!r}, got {value!r}"))


def load(name):
    """A module that lies beside this one, loaded once."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, os.path.join(BOX, name + ".py"))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class HostMemory:
    """Maps the judge's memfds."""
    def map(self, fd, size, mapped):
        return torch.frombuffer(mmap.mmap(fd, mapped), dtype=torch.uint8, count=size)

    def unmap_all(self, tensors):
        tensors.clear()  # a mapping goes with the last view of it


class CudaMemory:
    """Imports the judge's device memory through the driver API, and shows it to PyTorch by DLPack."""
    def __init__(self, device):
        self.index, self.driver, self.kept = device.index, ctypes.CDLL("libcuda.so.1"), {}

    def call(self, name, *arguments):
        result = getattr(self.driver, name)(*arguments)
        if result != 0:
            raise Refusal("worker_error", f"{name} failed with CUDA error {result}")

    def map(self, fd, size, mapped):
        handle, address, extent, zero = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t(mapped), ctypes.c_uint64(0)
        access = struct.pack("iii", 1, self.index, 3)  # a device, which one, read and write
        self.call("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(fd), 1)
        self.call("cuMemAddressReserve", ctypes.byref(address), extent, zero, zero, zero)
        self.call("cuMemMap", address, extent, zero, handle, zero)
        self.call("cuMemSetAccess", address, extent, access, ctypes.c_size_t(1))
        self.call("cuMemRelease", handle)
        shape, new_capsule = (ctypes.c_int64 * 1)(size), ctypes.pythonapi.PyCapsule_New
        # DLManagedTensor: address, device type and number, dimensions, uint8 x 1, shape, strides, offset, context, deleter
        managed = ctypes.create_string_buffer(struct.pack("QiiiBBHQQQQQ", address.value, 2, self.index, 1, 1, 8, 1,
                                                          ctypes.addressof(shape), 0, 0, 0, 0))
        new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        tensor = torch.utils.dlpack.from_dlpack(new_capsule(ctypes.addressof(managed), b"dltensor", None))
        self.kept[tensor.data_ptr()] = (managed, shape, mapped)
        return tensor

    def unmap_all(self, tensors):
        torch.cuda.synchronize()
        for base in tensors:
            address, extent = ctypes.c_uint64(base.data_ptr()), ctypes.c_size_t(self.kept.pop(base.data_ptr())[2])
            self.call("cuMemUnmap", address, extent)
            self.call("cuMemAddressFree", address, extent)
        tensors.clear()


class Worker:
    def __init__(self):
        self.socket = socket.socket(fileno=SOCKET_FD)
        page = mmap.mmap(PAGE_FD, 4096)
        self.words = memoryview(page).cast("I")
        self.claims = memoryview(page)[CLAIMS_OFFSET:CLAIMS_OFFSET + 256].cast("d")
        self.page_address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.device, self.memory, self.dtype = torch.device("cpu"), HostMemory(), None
        self.module, self.models = None, {}
        self.init, self.init_tensors = [], []
        self.rate = None  # of torch.cuda._sleep()
        self.marks = []  # pairs of timing events, made once: to make one takes longer than to record it
        self.bases, self.views, self.trees = {}, {}, {}  # by set
        self.held, self.shared = None, None

    def serve(self):
        while (received := socket.recv_fds(self.socket, 256 << 10, 16))[0]:
            request, fds = json.loads(received[0]), received[1]
            try:
                reply = getattr(self, "op_" + request["op"])(request, fds) or {}
                self.socket.send(json.dumps({**reply, "ok": True}).encode())
            except BaseException as error:  # SystemExit and KeyboardInterrupt too: a candidate may raise anything
                refusal = refusal_of(error, request.get("code", "worker_error"))
                trace = refusal.trace.encode("utf-8", "replace")[:PART_BYTES * PART_LIMIT]
                parts = [trace[i:i + PART_BYTES] for i in range(0, len(trace), PART_BYTES)]
                reply = {"ok": False, "code": refusal.code, "text": refusal.text[:TEXT_LIMIT], "parts": len(parts)}
                for part in [json.dumps(reply).encode(), *parts]:
                    self.socket.send(part)

    def op_hello(self, request, _):
        self.dtype = {"native": None, "fp32": torch.float32, "fp16": torch.float16,
                      "bf16": torch.bfloat16}[request["precision"]]
        facts = {"python": sys.version.split()[0], "torch": torch.__version__, "threads": torch.get_num_threads()}
        if request["backend"] == "cuda":
            self.device = torch.device("cuda", 0)
            facts.update(cuda=torch.version.cuda, cudnn=torch.backends.cudnn.version())
        return facts

    def op_attach(self, _request, _):
        """Begins to use the device. Not before it is this worker's turn: a CUDA context takes half a gigabyte from whoever has it."""
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
            self.memory = CudaMemory(self.device)
        self.tick = torch.zeros(1, device=self.device)

    def op_load(self, request, fds):
        """Imports a file as a module of its own; sets the problem's constants; finds the class."""
        name = request["module"]
        path = os.path.join(BOX, name + ".py")
        for fd in fds:  # a reference worker gets one problem after the other
            path = os.path.join(BOX, "tmp", name + ".py")
            with os.fdopen(fd, "rb") as source, open(path, "wb") as file:
                file.write(source.read())
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if request.get("size"):
            sizes = getattr(module, "SIZES", None)
            if not isinstance(sizes, dict) or request["size"] not in sizes:
                raise Refusal("no_size", f"SIZES has no entry {request['size']!r}")
            vars(module).update(sizes[request["size"]])
        vars(module).update(request.get("constants", {}))
        for name in request["needs"]:
            if not callable(getattr(module, name, None)):
                raise Refusal("no_class", f"it does not define {name}")
        self.module = module

    def op_construct(self, request, _):
        """Builds the model the way KernelBench does: seeded, on the CPU, then moved; in training mode."""
        arguments = self.init
        if "init" in request:
            arguments = decode(request["init"], [view.clone().cpu() for view in self.views.get("init", [])])
        self.models.clear()
        self.seed(request["seed"])
        entries = self.entries(request["entries"]) if "entries" in request else None
        other = contextlib.nullcontext() if entries is None else load("vary").Substitution(entries)
        with other:
            model = getattr(self.module, request["class"])(*arguments)
        if not isinstance(model, torch.nn.Module):
            raise Refusal(request["code"], f"{request['class']} is not a torch.nn.Module")
        model = self.models["model"] = model.to(self.device, self.dtype)
        facts = {} if entries is None else self.match(model, entries, list(other.delivered))
        self.synchronize()
        return {**facts, "state_bytes": sum(p.numel() * p.element_size() for p in (*model.parameters(), *model.buffers()))}

    def entries(self, listing):
        """(name, as constructed, the other values) of the reference's parameters."""
        old, new, made, at = self.views["state_old"][0].cpu(), self.views["state_new"][0].cpu(), [], 0
        for name, shape in listing:
            size = math.prod(shape)
            made.append((name, *(values[at:at + size].reshape(shape).to(self.dtype or values.dtype) for values in (old, new))))
            at += size
        return made

    def match(self, model, entries, delivered):
        """Hands over what the constructor made in a way that nobody saw."""
        delivered += load("vary").match(model, entries, delivered)
        return {"delivered": delivered, "missing": [entry[0] for entry in entries if entry[0] not in delivered]}

    def op_load_state(self, request, _):
        loaded, why = load("vary").load(self.models["model"], {name: new for name, _, new in self.entries(request["entries"])})
        self.synchronize()
        return {"loaded": loaded, "why": one_line(why or ""), "delivered": [name for name, _ in request["entries"]] if loaded else []}

    def op_bind(self, request, fds):
        """Maps buffers: some of a set, in order. `tree` says how tensors lie in them and comes with the last."""
        name = request["set"]
        if request["first"] == 0:
            self.unbind(name)
        bases = self.bases.setdefault(name, [])
        for fd, (size, mapped) in zip(fds, request["sizes"]):
            bases.append(self.memory.map(fd, size, mapped))
            os.close(fd)
        if "tree" in request:
            self.trees[name] = request["tree"]
            self.views[name] = [view_of(base, leaf) for base, leaf in zip(bases, leaves(request["tree"]))]

    def unbind(self, name):
        self.views.pop(name, None)
        self.models.pop("null", None)
        self.memory.unmap_all(self.bases.pop(name, []))

    def forward(self, inputs, seed):
        self.seed(seed)
        with torch.no_grad():
            return self.models["model"](*inputs)

    def op_forward(self, request, _):
        """One forward on copies of the inputs in PyTorch's own memory, for a tool that watches device memory from outside: it
        knows nothing of what another process wrote, and sees the end of an array only where its allocation ends. By way of
        the host, so that the tool sees the copies being written."""
        own = [view.cpu().clone().to(self.device) for view in self.views["in0"]]
        self.forward(decode(self.trees["in0"], own), request["forward_seed"])
        self.synchronize()

    def op_mode(self, request, _):
        self.models["model"].train(request["training"])

    def op_poison(self, request, _):
        """Known garbage in the memory that the next call may be given."""
        poison = load("poison")
        sizes = [view.numel() * view.element_size() for name in ("in0", "out0") for view in self.views.get(name, [])]
        poison.free_memory(sizes, request["byte"], self.device)
        if self.device.type == "cuda":
            self.shared = self.shared or poison.SharedMemory(self.device)
            self.shared.fill(request["byte"])

    def op_held(self, _request, _):
        """What the last call returned, once more."""
        outputs, self.held = self.held, None
        orders = {}
        store(outputs, self.trees["out0"], self.views["out0"], self.device, orders=orders)
        self.synchronize()
        return {"orders": told(orders)}

    def op_inputs(self, request, _):
        self.trees[request["set"]] = request["tree"]

    def op_run(self, request, _):
        """The hot hand-over of one or more calls. See README.md for the page."""
        model, cuda = self.models.get(request["model"]), self.device.type == "cuda"
        if request["model"] == "null":
            model = self.null(request["null_us"])
        while (seen := self.words[ARM]) != request["first"]:
            self.futex(ARM, FUTEX_WAIT, seen)
        self.seed(request["forward_seed"])
        inputs = [decode(self.trees[f"in{i}"], self.views[f"in{i}"]) for i in range(request["slots"])]
        first, warm, marks, orders = request["first"], request["warm"], self.marks_of(request["calls"]), {}
        if cuda and request["memory"]:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            self.claims[2] = torch.cuda.memory_allocated()
        self.synchronize()
        self.words[READY] = first
        self.wake(READY)
        with torch.no_grad():
            stream = torch.cuda.current_stream() if cuda else None
            for number in range(warm):  # what a process that has waited has lost is not the forward's fault
                self.one_call(first + number, lambda *_: self.tick.add_(1), inputs, marks[0], stream, True, None)
            for number, mark in enumerate(marks, first + warm):
                self.one_call(number, model, inputs, mark, stream, request["settle"], orders, request["hold"])
        spans = sorted(start.elapsed_time(end) * 1e3 if cuda else (end - start) * 1e6 for start, end in marks)
        self.claims[0] = (spans[(len(spans) - 1) // 2] + spans[len(spans) // 2]) / 2
        if cuda:
            self.claims[1] = torch.cuda.max_memory_allocated()
        return {"orders": told(orders)}

    def marks_of(self, count):
        while len(self.marks) < count:
            pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)] if self.device.type == "cuda" else [None, None]
            [mark.record() for mark in pair if mark]
            self.marks.append(pair)
        return self.marks[:count]

    def null(self, time_us):
        """The smallest kernel, which on a GPU waits for time_us, and outputs made once: nothing else touches the device."""
        if "null" not in self.models:
            self.models["null"] = as_tensors(self.trees["out0"]), [torch.zeros_like(view) for view in self.views["out0"]]
        (tree, ready), cycles = self.models["null"], int(time_us * self.cycles_per_us())
        step = (lambda: torch.cuda._sleep(cycles)) if cycles > 0 else (lambda: self.tick.add_(1))
        return lambda *_: (step(), decode(tree, ready))[1]

    def cycles_per_us(self):
        """How fast torch.cuda._sleep() counts; 0 where there is none."""
        if self.rate is None:
            self.rate = 0
            if self.device.type == "cuda" and hasattr(torch.cuda, "_sleep"):
                start, end = self.marks_of(1)[0]
                for cycles in (1000, 1_000_000):  # the first loads it
                    start.record()
                    torch.cuda._sleep(cycles)
                    end.record()
                    end.synchronize()
                self.rate = cycles / (start.elapsed_time(end) * 1e3)
        return self.rate

    def one_call(self, index, model, slots, mark, stream, settle, orders, hold=False):
        words, cuda, status = self.words, stream is not None, 1
        while words[GO] != index:
            pass
        try:
            inputs = slots[words[SLOT_IN]]
            mark[0] = (mark[0].record(stream) or mark[0]) if cuda else time.perf_counter()
            outputs = model(*inputs)
            if hold:
                self.held = outputs
            mark[1] = (mark[1].record(stream) or mark[1]) if cuda else time.perf_counter()
            self.synchronize() if settle else None  # without it, outputs must be there in the order of the stream
            words[RAN] = index
            self.wake(RAN)
            while words[TAKE] != index:  # where the outputs go is told only now
                pass
            if orders is not None:
                store(outputs, self.trees[out := f"out{words[SLOT_OUT]}"], self.views[out], self.device, orders=orders)
                self.synchronize()
            status = 0
        finally:
            words[STATUS] = status
            words[RAN] = words[DONE] = index
            self.wake(RAN)
            self.wake(DONE)

    def op_trace(self, request, fds):
        """One forward under CUPTI: what ran on the device is written to the judge's memfd. Only labels are made of it."""
        tracer, inputs = ctypes.CDLL(os.path.join(BOX, "libkbv_tracer.so")), decode(self.trees["in0"], self.views["in0"])
        os.environ["KBV_TRACE_FD"] = str(fds[0])
        tracer.kbv_trace_begin()
        self.forward(inputs, request["forward_seed"])
        self.synchronize()
        tracer.kbv_trace_end()
        os.close(fds[0])

    def op_bundle(self, request, _):
        """Packs what the build left into the judge's memfd, for this candidate's own worker."""
        folder = os.path.join(BOX, "build")
        with os.fdopen(os.dup(BUNDLE_FD), "wb") as out:
            # GNU format keeps whole seconds, so that ninja finds nothing newer than its outputs after unpacking.
            with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
                for name in sorted(os.listdir(folder)):
                    tar.add(os.path.join(folder, name), name)
            return {"bytes": out.tell()}

    def op_unbundle(self, request, _):
        os.lseek(BUNDLE_FD, 0, os.SEEK_SET)  # the build worker left it at the end
        with os.fdopen(os.dup(BUNDLE_FD), "rb") as data, tarfile.open(fileobj=data, mode="r|") as tar:
            tar.extractall(os.path.join(BOX, "build"), **({"filter": "fully_trusted"} if sys.version_info >= (3, 12) else {}))

    def seed(self, value):
        random.seed(value)
        torch.manual_seed(value)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(value % (1 << 32))

    def synchronize(self):
        if self.device.type == "cuda":
            torch._C._cuda_synchronize()  # what torch.cuda.synchronize() comes to

    def wake(self, word):
        self.futex(word, FUTEX_WAKE, 1) if self.device.type == "cpu" else None  # beside a GPU the judge spins

    def futex(self, word, operation, value):
        self.libc.syscall(SYS_FUTEX, ctypes.c_void_p(self.page_address + 4 * word), operation, ctypes.c_uint32(value),
                          None, None, 0)


def view_of(base, leaf):
    dtype, shape = DTYPES[leaf["dtype"]], leaf["shape"]
    flat = base[:math.prod(shape) * dtype.itemsize].view(dtype)
    return flat.as_strided(shape, leaf["stride"]) if flat.numel() else flat.reshape(shape)


def leaves(tree):
    """The nodes that have a slot, in slot order."""
    return ([tree] if "slot" in tree else []) + [leaf for item in tree.get("items", []) for leaf in leaves(item)]


def told(orders):
    """Which outputs were stored in an order of memory of their own, and their dimensions from the outermost to the innermost."""
    return [[slot, sorted(range(len(strides)), key=lambda dim: -strides[dim])] for slot, strides in orders.items() if strides]


def as_tensors(tree):
    """A tree of outputs whose numbers are read as the tensors behind them."""
    if "slot" in tree:
        return {"t": "tensor", "slot": tree["slot"]} if tree["t"] == "tensor" else {"t": "int", "v": "0"}
    return {**tree, "items": [as_tensors(i) for i in tree["items"]]} if "items" in tree else tree


if __name__ == "__main__":
    Worker().serve()
