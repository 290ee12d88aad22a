# SPDX-License-Identifier: MIT
"""What only the reference's workers can do: make inputs and expected outputs, and serve as baselines.

It runs trusted code only, the problem's, and adds to worker.py; no candidate's process has this file.
"""
import gc
import importlib.util
import os
import sys

import torch



def load(name):
    """A module that lies beside this one, loaded once."""
    if name in sys.modules:
        return sys.modules[name]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


worker = load("worker")
Refusal, encode, decode, store = worker.Refusal, worker.encode, worker.decode, worker.store


class Reference(worker.Worker):
    def __init__(self):
        super().__init__()
        self.make_on_device = True
        self.drawn, self.stand_ins = [], None  # of an audit
        self.oracle = None

    def op_init(self, request, _):
        """The reference makes the constructor's arguments, and says how they are built."""
        self.seed(request["seed"])
        self.init, self.init_tensors = list(getattr(self.module, "get_init_inputs", list)()), []
        return {"tree": encode(self.init, self.init_tensors, False)}

    def op_put_init(self, request, _):
        for view, tensor in zip(self.views["init"], self.init_tensors):
            view.copy_(tensor)
        self.synchronize()

    def op_forget(self, _request, _):
        """Drops the problem, before the next one."""
        for name in list(self.bases):
            self.unbind(name)
        self.module, self.models, self.drawn, self.stand_ins, self.oracle = None, {}, [], None, None
        self.init, self.init_tensors, self.make_on_device = [], [], True
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def op_spec(self, request, _):
        """Runs the reference once to learn how inputs and outputs are built."""
        inputs, tree, _ = self.make_inputs(request["seed"], request["scale"])
        slots = []
        outputs = encode(self.forward(inputs, request["forward_seed"]), slots, True)
        drawn = [torch.rand(1, device=device).item() for device in ("cpu", self.device)]
        self.seed(request["forward_seed"])
        random = drawn != [torch.rand(1, device=device).item() for device in ("cpu", self.device)]
        return {"inputs": tree, "outputs": outputs, "finite": all(bool(flag) for flag in are_finite(slots)), "random": random}

    def op_operations(self, request, _):
        """Floating-point operations of one forward, as far as PyTorch has a formula: products and convolutions. 0: unknown."""
        inputs, _, _ = self.make_inputs(request["seed"], 1.0)
        try:
            from torch.utils.flop_counter import FlopCounterMode
            with FlopCounterMode(display=False) as counter:
                self.forward(inputs, request["forward_seed"])
            return {"operations": int(counter.get_total_flops())}
        except Exception:  # an operator that it can't take apart
            return {"operations": 0}

    def op_rate(self, _request, _):
        """Operations a second of a large product in bfloat16, the best of some. 0 where there is no room, or no such type."""
        try:
            return {"operations_per_s": self.rate_of_product()}
        except RuntimeError:
            return {"operations_per_s": 0.0}

    def rate_of_product(self):
        size, best = 8192, float("inf")
        a, b = (torch.randn(size, size, device=self.device, dtype=torch.bfloat16) for _ in range(2))
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for _ in range(6):
            start.record()
            torch.mm(a, b)
            end.record()
            end.synchronize()
            best = min(best, start.elapsed_time(end) * 1e-3)
        del a, b
        torch.cuda.empty_cache()
        return 2 * size**3 / best

    def op_draw(self, request, _):
        """Makes draws of inputs and the expected outputs in the judge's pristine buffers."""
        trees, finite, self.drawn = [], [], []
        for draw in request["draws"]:
            inputs, tree, slots = self.make_inputs(draw["seed"], request["scale"])
            trees.append(tree)
            if request.get("keep"):
                self.drawn.append(inputs)
            for view, tensor in zip(self.views[draw["in"]], slots):
                if view.shape != tensor.shape or view.dtype != tensor.dtype:
                    raise Refusal("unsupported", "get_inputs() gives other shapes or types at each call")
                view.copy_(tensor)
            if draw["expected"]:
                outputs, out = self.forward(inputs, request["forward_seed"]), draw["out"]
                store(outputs, self.trees[out], self.views[out], self.device, "the reference's output")
                finite += are_finite(self.views[out])
        self.synchronize()
        return {"inputs": trees, "finite": all(bool(flag) for flag in finite)}

    def op_family(self, request, _):
        """One draw of a family of inputs: whether the reference says anything there, and how far it is from itself in float64."""
        families, oracle = load("families"), load("oracle")
        _, tree, tensors = self.make_inputs(request["seed"], 1.0)
        made = families.make(tensors, getattr(self.module, "DOMAINS", None), request["family"], request["seed"])
        outputs = []
        encode(self.forward(decode(tree, made), request["forward_seed"]), outputs, True)
        reply = {"finite": all(bool(flag) for flag in are_finite(outputs)), "oracle": False, "e_max": 0.0, "e_rms": 0.0, "why": ""}
        try:
            self.oracle = self.oracle or oracle.Oracle(self.models["model"], self.seed)
            exact = []
            wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in made]
            encode(self.oracle.run(decode(tree, wide), request["forward_seed"]), exact, True)
        except Exception as error:  # an operator, or a constant of its own, that has no float64
            return {**reply, "why": worker.one_line(f"{type(error).__name__}: {error}", 200)}
        reply["finite"] = reply["finite"] and all(bool(flag) for flag in are_finite(exact))
        if reply["finite"]:
            pairs = [oracle.errors(y, r) for y, r in zip(outputs, exact) if y.is_floating_point() and y.shape == r.shape]
            reply["e_max"], reply["e_rms"] = (max(values, default=0.0) for values in (zip(*pairs) if pairs else ([], [])))
        return {**reply, "oracle": True}

    def op_stand_ins(self, request, _):
        """What an audit can try on the last two draws, which were kept."""
        forward_seed = request["forward_seed"]
        made = load("stand_ins").StandIns(self.models["model"], lambda inputs: self.forward(inputs, forward_seed), *self.drawn)
        self.stand_ins = made
        found, left_out = made.listing()
        return {"stand_ins": found, "left_out": left_out}

    def op_stand_in(self, request, _):
        """Puts one of them where outputs go. One that can't be made is no failure: nobody's candidate can make it either."""
        out = request["out"]
        try:
            store(self.stand_ins.make(request["kind"], request["what"]), self.trees[out], self.views[out], self.device, "the stand-in")
        except Exception as error:
            return {"made": False, "why": worker.one_line(f"{type(error).__name__}: {error}", 200)}
        self.synchronize()
        return {"made": True}

    def make_inputs(self, seed, scale):
        """get_inputs() under the draw's seed, on the device where its code lets it, scaled and cast; its tree; its tensors."""
        inputs = None
        if self.make_on_device and self.device.type != "cpu":
            self.seed(seed)
            try:
                with self.device:
                    inputs = self.module.get_inputs()
            except Exception:
                self.make_on_device = False
        if inputs is None:
            self.seed(seed)
            inputs = self.module.get_inputs()
        if not isinstance(inputs, (list, tuple)):
            raise Refusal("unsupported", "get_inputs() must return a list")
        slots = []
        tree = encode(list(inputs), slots, False)
        for i, tensor in enumerate(slots):
            tensor = tensor.detach().to(self.device)
            if tensor.is_floating_point():
                tensor = (tensor if scale == 1.0 else tensor * scale).to(self.dtype or tensor.dtype)
            slots[i] = tensor
        inputs, tensors = decode(tree, slots), []
        return inputs, encode(inputs, tensors, False), tensors

    def op_flags(self, request, _):
        """Sets and tells TF32 for matmul and cuDNN, by PyTorch's old flags, or by its new ones where those rule."""
        found = {}
        for name, old, new in (("matmul", torch.backends.cuda.matmul, [torch.backends.cuda.matmul]),
                               ("cudnn", torch.backends.cudnn, ["conv", "rnn"])):
            wanted = request.get(name)
            try:
                if wanted is not None:
                    old.allow_tf32 = wanted
                found[name] = bool(old.allow_tf32)
            except (AttributeError, RuntimeError):
                new = [getattr(old, part) if isinstance(part, str) else part for part in new]
                for backend in new if wanted is not None else []:
                    backend.fp32_precision = "tf32" if wanted else "ieee"
                found[name] = new[0].fp32_precision == "tf32"
        return found

    def op_compile(self, request, _):
        self.models["compiled"] = torch.compile(self.models["model"])


def are_finite(tensors):
    """A flag for each, on its device: to read them one by one would wait for each."""
    return [torch.isfinite(t).all() for t in tensors if t.is_floating_point() or t.is_complex()]


if __name__ == "__main__":
    Reference().serve()
