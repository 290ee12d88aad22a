# SPDX-License-Identifier: MIT
"""What only the reference's workers can do: make inputs and expected outputs, and serve as baselines.

It runs trusted code only, the problem's, and adds to worker.py; no candidate's process has this file.
"""
import contextlib
import copy
import gc
import importlib.util
import math
import os
import sys
import time

import torch



# The folder of this file is not searched for modules (python -I).
spec = importlib.util.spec_from_file_location("worker", os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py"))
worker = sys.modules["worker"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)
Refusal, encode, decode, store, load = worker.Refusal, worker.encode, worker.decode, worker.store, worker.load


SPARE_BYTES = 1 << 30


class Reference(worker.Worker):
    def __init__(self):
        super().__init__()
        self.make_on_device = True
        self.oracle = None
        self.reach = 0  # of PR
        self.before = None  # the model's buffers before the forward of the last op_family
        self.stand_ins, self.wide_stand_ins, self.make_wide_stand_ins = None, None, None  # of an audit
        self.noise, self.noise_inputs = None, None  # of a forward that draws random numbers

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
        self.module, self.models, self.oracle, self.before, self.noise, self.noise_inputs = None, {}, None, None, None, None
        self.stand_ins, self.wide_stand_ins, self.make_wide_stand_ins = None, None, None
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
        trees, finite = [], []
        for draw in request["draws"]:
            inputs, tree, slots = self.make_inputs(draw["seed"], request["scale"])
            trees.append(tree)
            self.put_inputs(draw["in"], slots)
            if draw["expected"]:
                outputs, out = self.forward(inputs, request["forward_seed"]), draw["out"]
                store(outputs, self.trees[out], self.views[out], self.device, "the reference's output")
                finite += are_finite(self.views[out])
        self.synchronize()
        inputs = outputs = slots = None
        self.give_back()
        return {"inputs": trees, "finite": all(bool(flag) for flag in finite)}

    def put_inputs(self, name, tensors):
        for view, tensor in zip(self.views[name], tensors):
            if view.shape != tensor.shape or view.dtype != tensor.dtype:
                raise Refusal("unsupported", "get_inputs() gives other shapes or types at each call")
            view.copy_(tensor)

    def op_family(self, request, _):
        """One draw of a distribution or a family, judged by float64: whether the reference says anything there, what is expected, and how
        far right implementations are from it. With `slices`, everything is put into the judge's buffers: draw_in0, draw_out0, exact, rho."""
        families = load("families")
        self.stand_ins, self.wide_stand_ins = None, None  # the memory
        model, forward_seed = self.models["model"], request["forward_seed"]
        domains, in_family = self.domains_of(request), request["family"] in families.FAMILIES

        def draw(seed):
            return self.draw_family(request, seed)[1]

        tree, tensors = self.draw_family(request, request["seed"])
        inputs, keep = decode(tree, tensors), "slices" in request
        reply = {"status": "ok", "why": "", "inputs": tree, "outputs": []}
        if keep:
            self.put_inputs("draw_in0", tensors)
        self.before = self.state()
        outputs = self.tensors_of(self.forward(inputs, forward_seed))
        after = self.state()
        # An output that is an input, or a part of one, may change with it.
        own = {t.untyped_storage().data_ptr() for t in (*tensors, *model.parameters(), *model.buffers())}
        reply["aliases"] = [y.untyped_storage().data_ptr() in own for y in outputs]
        outputs = [y.clone() if alias else y for y, alias in zip(outputs, reply["aliases"])]
        reply["stateful"] = any(not torch.equal(a, b) for a, b in zip(self.before, after)) and any(
            not torch.equal(a, b) for a, b in zip(outputs, self.tensors_of(self.forward(inputs, forward_seed))))
        reply["mutates"] = keep and not all(same_bits(a, b) for a, b in zip(self.views["draw_in0"], tensors))
        if reply["mutates"]:
            tensors = draw(request["seed"])
        native = tensors if request["scale"] == 1.0 else self.make_inputs(request["seed"], 1.0)[2]
        reply["in_domain"] = in_family or families.in_domain(native, domains, request["scale"])
        del native
        if keep:
            for view, output in zip(self.views["draw_out0"], outputs):
                view.copy_(output)
            outputs = self.views["draw_out0"]  # one copy of what may be large is enough
        special = request["family"] in families.SPECIAL
        try:
            if not special and not all(bool(flag) for flag in are_finite(outputs)):
                return {**reply, "status": "not_finite", "why": "the reference's output is not finite"}
            return self.by_float64(request, reply, tree, tensors, outputs, draw, special)
        except Exception as error:  # an operator, or a constant of its own, that has no float64
            refusal = worker.refusal_of(error, "no_oracle")
            if refusal.code == "out_of_memory":
                return {**reply, "status": "no_room", "why": worker.one_line(refusal.text, 200)}
            if "CUDA" in refusal.text:
                raise
            return {**reply, "status": "no_oracle", "why": worker.one_line(refusal.text, 200)}
        finally:
            self.restore(after)
            self.give_back()

    def give_back(self):
        """Much memory that PyTorch keeps for later would be missing to those who run next: the candidate, and the judge's own buffers."""
        if self.device.type == "cuda" and torch.cuda.memory_reserved() - torch.cuda.memory_allocated() > SPARE_BYTES:
            torch.cuda.empty_cache()

    def domains_of(self, request):
        return request.get("domains") or getattr(self.module, "DOMAINS", None)

    def draw_family(self, request, seed):
        """The tree and the tensors of a draw of a distribution or a family."""
        families = load("families")
        _, tree, tensors = self.make_inputs(seed, request["scale"])
        return tree, families.make(tensors, self.domains_of(request), request["family"], seed) if request["family"] in families.FAMILIES else tensors

    def state(self):
        return [buffer.detach().clone() for buffer in self.models["model"].buffers()]

    def restore(self, state, model=None):
        """One forward has been seen; however often it runs besides, it is as after that one."""
        with torch.no_grad():
            for buffer, value in zip((model or self.models["model"]).buffers(), state):
                buffer.copy_(value)

    def by_float64(self, request, reply, tree, tensors, outputs, draw, special):
        """The second half of op_family: the oracle, and the ensemble beside it."""
        oracle = load("oracle")
        if self.oracle is None:
            self.oracle = oracle.Oracle(self.models["model"], self.seed)

        def wide(values, change=lambda tensors: tensors):
            def run(some):
                self.restore(self.before, self.oracle.model)
                return self.tensors_of(self.oracle.run(decode(tree, change(oracle.widened(some))), request["forward_seed"]))

            try:
                return run(values)
            except torch.cuda.OutOfMemoryError as error:
                refusal = error.with_traceback(None)  # what the forward had made goes with its frames
            torch.cuda.empty_cache()
            if not self.treats_apart(tree, values, request["forward_seed"]):
                raise refusal
            return oracle.in_parts(run, values)

        exact = wide(tensors)
        if len(exact) != len(outputs) or any(r.shape != y.shape for r, y in zip(exact, outputs)):
            return {**reply, "status": "no_oracle", "why": "its outputs have other shapes in float64"}
        if not special and not all(bool(flag) for flag in are_finite(exact)):
            return {**reply, "status": "not_finite", "why": "the reference's output is not finite in float64"}
        leaves = self.output_leaves(outputs)
        slices = request.get("slices") or [oracle.SLICE_ELEMENTS] * len(leaves)
        floating = [y.is_floating_point() or y.is_complex() for y in outputs]
        flats, rhos, needs_other = [], [], []
        for r, y, leaf, per_slice, is_float in zip(exact, outputs, leaves, slices, floating):
            wide_r = r.to(torch.complex128 if r.is_complex() else torch.float64)
            flats.append(self.exact_buffer(len(flats), oracle.flat(wide_r, leaf), request))
            if special and is_float:  # where right implementations disagree about NaN and infinity, nobody is wrong
                own = oracle.flat(y, leaf).double()
                oracle.set_free(flats[-1], oracle.kinds(own) != oracle.kinds(flats[-1]))
            rhos.append(oracle.floors(flats[-1], per_slice) if is_float else torch.ones(-(-flats[-1].numel() // per_slice), dtype=torch.float64,
                                                                                       device=flats[-1].device))
            needs_other.append(is_float and not special and not (r.dim() > 1 and r.shape[0] > 1))
        other = wide(draw(request["seed"] + 1)) if any(needs_other) else [None] * len(exact)
        spreads = [oracle.variation(r, o) if f and not special else None for r, o, f in zip(exact, other, floating)]
        if not all(floating):
            for sign in (1, -1) if any(t.is_floating_point() for t in tensors) else ():
                for r, moved, y, leaf, flat, is_float in zip(exact, wide(tensors, lambda wider: oracle.nudged(wider, sign)), outputs, leaves, flats, floating):
                    if not is_float:
                        oracle.set_free(flat, (oracle.flat(moved, leaf) != oracle.flat(r, leaf)) | (oracle.flat(y, leaf) != oracle.flat(r, leaf)))
        del other, exact
        reply["outputs"] = [{"variation": told(spread), "rho_max": told(rho.max().item() if rho.numel() else 0.0), "members": []}
                            for spread, rho in zip(spreads, rhos)]
        if request.get("slices"):
            for rho, base_rho in zip(rhos, self.bases["rho"]):
                base_rho[:rho.numel() * 8].view(torch.float64).copy_(rho)
        gate = max(2.0**-6, *(16 * torch.finfo(y.dtype).eps for y, f in zip(outputs, floating) if f), 0)
        for name, found in self.ensemble(decode(tree, tensors), outputs, request["forward_seed"], reply["mutates"]):
            values = self.tensors_of(found)
            measured = [oracle.errors(oracle.flat(y, leaf), flat, rho, per_slice, spread) if f else (0.0, 0.0, None) for y, leaf, flat, rho, per_slice, spread, f
                        in zip(values, leaves, flats, rhos, slices, spreads, floating)]
            del values, found
            if name == "eager":
                eager = measured
                if any(not e_rms <= gate for _, e_rms, _ in measured):
                    reply.update(status="inexact", why="the reference in its own type is too far from float64")
            elif name == "halves" and any(not m[1] <= 16 * max(e[1], 2.0**-22) for m, e in zip(measured, eager)):
                continue  # samples are not treated apart
            for output, (e_max, e_rms, e_var) in zip(reply["outputs"], measured):
                output["members"].append({"name": name, "e_max": told(e_max), "e_rms": told(e_rms), "e_var": told(e_var)})
        self.synchronize()
        return reply

    def treats_apart(self, tree, tensors, forward_seed):
        """Whether the reference gives each sample's output whatever other samples there are."""
        def run(some):
            self.restore(self.before)
            return self.tensors_of(self.forward(decode(tree, some), forward_seed))

        with self.flags_kept():
            self.op_flags({"matmul": False, "cudnn": False}, [])
            return load("oracle").treats_apart(run, tensors)

    def exact_buffer(self, number, flat, request):
        """Float64 values in the judge's buffer, or in memory of their own where it has none."""
        if not request.get("slices"):
            return flat.clone()
        own = self.bases["exact"][number][:flat.numel() * 8].view(torch.float64)
        own.copy_(flat)
        return own

    def tensors_of(self, outputs):
        slots = []
        encode(outputs, slots, True)
        return [slot.to(self.device) for slot in slots]

    def output_leaves(self, outputs):
        """How outputs lie in the judge's buffers, or would."""
        if "draw_out0" in self.trees:
            return worker.leaves(self.trees["draw_out0"])
        return [{"shape": list(y.shape), "stride": list(torch.empty_like(y, device="meta").stride())} for y in outputs]

    def ensemble(self, inputs, outputs, forward_seed, mutates):
        def forward(values):
            self.restore(self.before)
            if mutates:  # each member is to have the inputs as they were
                values = [copy.deepcopy(value) for value in values]
            return self.forward(values, forward_seed)

        cuda = self.device.type == "cuda"
        with self.flags_kept():
            yield from load("ensemble").members(self.models["model"], forward, inputs, outputs,
                                                lambda flag: self.op_flags({"matmul": flag, "cudnn": flag}, []) if cuda else None, cuda)

    def op_noise(self, request, _):
        """Begins to compare random outputs by their distribution: makes a draw in draw_in0, and calls the reference on it with each of `seeds`,
        the first half of which tells what is normal. `twins`: every sample is the first one, so that what samples share shows."""
        tree, tensors = self.draw_family({**request, "family": "D1", "scale": 1.0}, request["seed"])
        self.noise, self.noise_inputs, before, seeds = None, None, self.state(), request["seeds"]
        batch = max((leaf["shape"][0] for leaf in worker.leaves(self.trees["draw_out0"]) if leaf["shape"]), default=1)
        if request["twins"]:
            alike = [t.dim() > 0 and t.shape[0] == batch for t in tensors]
            if batch < 2 or not any(alike):
                return {"status": "none", "why": "there are no samples to make alike", "inputs": tree}
            tensors = [t[:1].expand_as(t).clone() if one else t for t, one in zip(tensors, alike)]

        def run(seed, values=None):
            self.restore(before)
            return [y.clone() for y in self.tensors_of(self.forward(decode(tree, [t.clone() for t in values or tensors]), seed))]

        try:
            start = time.perf_counter()
            outputs = run(seeds[0])
            if not all(bool(flag) for flag in are_finite(outputs)):
                return {"status": "none", "why": "the reference's output is not finite", "inputs": tree}
            self.synchronize()
            slow = time.perf_counter() - start > 1.0
            if request["twins"] and (slow or self.magnifies(run, seeds[0], outputs, tensors)):
                return {"status": "none", "why": "it takes long, or rounding alone changes the output much", "inputs": tree}
            count = 48 if slow else len(seeds) // 2  # of fewer, no number says anything for certain
            made = load("noise").Noise(outputs)
            for group, some in (("first", seeds[:count]), ("reference", seeds[-count:])):
                for seed in some:
                    made.add(group, run(seed))
                if group == "first":
                    made.learn()
            if not made.is_finite():
                return {"status": "none", "why": "the reference's output is not finite", "inputs": tree}
            self.put_inputs("draw_in0", tensors)
            self.noise, self.noise_inputs = made, (tree, tensors)
            return {"status": "ok", "why": "", "inputs": tree, "count": count}
        finally:
            self.restore(before)
            self.synchronize()

    def magnifies(self, run, seed, outputs, tensors):
        """Whether inputs one unit of rounding away give outputs that are visibly others, though the random numbers are the same."""
        moved = run(seed, [torch.nextafter(t, torch.full_like(t, math.inf)) if t.dtype in (torch.float32, torch.float64) else t for t in tensors])
        return any((a.float() - b.float()).norm() > 1e-4 * b.float().norm() for a, b in zip(moved, outputs) if b.is_floating_point())

    def op_noise_take(self, request, _):
        """What the judge put into a buffer is the candidate's next output."""
        self.noise.add("candidate", self.views[request["from"]])

    def op_noise_facts(self, request, _):
        """Of one output: those of all might be too much for one message. After the last the next candidate can begin."""
        found = self.noise.facts(request["output"])
        if request["output"] + 1 == len(self.noise.outputs):
            self.noise.forget_candidate()
        return {"outputs": found}

    def op_noise_spread(self, request, _):
        """How far two right outputs are on fresh inputs: for each output, of ||a - b||^2 / ||b||^2 the mean and the standard deviation over draws."""
        found, before = [], self.state()
        for seed, *forward_seeds in request["draws"]:
            inputs, tree, tensors = self.make_inputs(seed, 1.0)
            pair = []
            for forward_seed in forward_seeds:
                self.restore(before)
                pair.append([y.double().clone() if not y.is_complex() else torch.view_as_real(y).double() for y in self.tensors_of(
                    self.forward(decode(tree, [t.clone() for t in tensors]), forward_seed))])
            found.append([((a - b).square().sum() / b.square().sum().clamp(min=1e-300)).item() for a, b in zip(*pair)])
        self.restore(before)
        values = torch.tensor(found, dtype=torch.float64)
        return {"mean": [told(v) for v in values.mean(0).tolist()], "sd": [told(v) for v in values.std(0).tolist()]}

    def op_noise_stand_in(self, request, _):
        """For an audit: takes the outputs that a stand-in gives on the draw of op_noise, with each of `seeds` as many as there are of the reference's."""
        stand_ins, (tree, tensors), before = load("stand_ins"), self.noise_inputs, self.state()
        fixed = {leaf["slot"] for leaf in worker.leaves(self.trees["draw_out0"]) if leaf["t"] != "tensor"}
        try:
            for seed in request["seeds"][:len(self.noise.outputs[0].calls["reference"])]:
                def run(values):
                    self.restore(before)
                    return [y.clone() for y in self.tensors_of(self.forward(copy.deepcopy(values), seed))]
                inputs = decode(tree, tensors)
                made = stand_ins.StandIns(self.models["model"], run, inputs, run(inputs), fixed, lambda: self.make_inputs(request["seed"] + 1, 1.0)[0])
                self.noise.add("candidate", made.make(request["kind"], request["what"]))
        except Exception as error:
            self.noise.forget_candidate()
            return {"made": False, "why": self.why_not(error)}
        finally:
            self.restore(before)
        return {"made": True}

    def op_noise_end(self, _request, _):
        self.noise, self.noise_inputs = None, None
        self.give_back()

    def op_mode(self, request, _):
        super().op_mode(request, _)
        self.oracle = None  # a copy of the model as it was

    def op_construct(self, request, _):
        self.oracle, self.before, self.stand_ins, self.wide_stand_ins, self.make_wide_stand_ins = None, None, None, None, None
        return super().op_construct(request, _)

    def op_parameters(self, request, _):
        """What can be varied: the floating parameters, as they lie one after the other in the judge's buffers: in the order in which the
        constructor makes them, since only that tells apart those that are alike."""
        found = self.parameters()

        def build():
            self.seed(request["seed"])
            return getattr(self.module, "Model")(*self.init)

        vary = load("vary")
        entries = [(name, old := p.detach().cpu(), old) for name, p in found.items()]
        if len({(tuple(old.shape), vary.key_of(old)) for _, old, _ in entries}) < len(entries):
            found = {name: found[name] for name, _, _ in vary.in_order(entries, build)}
        self.order = list(found)
        dtype = "float64" if any(p.dtype == torch.float64 for p in found.values()) else "float32"
        return {"entries": [[name, list(p.shape)] for name, p in found.items()], "elements": sum(p.numel() for p in found.values()),
                "dtype": dtype, "products": len(vary.products(self.models["model"]))}

    def op_reach(self, request, _):
        """How many times as far as the rms of what they are added to PR moves the biases; 0: there is nothing to reach. For a model as constructed."""
        vary, reach, stand_ins, model = load("vary"), load("reach"), load("stand_ins"), self.models["model"]
        self.reach = 0

        def make_run(of):
            inputs, _, _ = self.make_inputs(request["seed"], 1.0)
            self.seed(request["forward_seed"])
            return lambda: of(*inputs)

        def make_shifts():
            clone = copy.deepcopy(model)
            inputs, _, _ = self.make_inputs(request["seed"], 1.0)
            return vary.bias_shifts(clone, inputs, lambda values: clone(*values))
        found = self.parameters()
        with torch.no_grad():
            try:
                self.reach = reach.multiple(model, {name: found[name] for name in self.order}, make_shifts, request["seed"], make_run, vary, stand_ins)
            except Exception:  # a model that these values are too much for, or the device: PR is not needed for a verdict
                self.reach = 0
        gc.collect()
        return {"reach": self.reach}

    def op_perturb(self, request, _):
        """Other values for all of them, told with the old ones if there are buffers for that."""
        vary, model, shifts, found = load("vary"), self.models["model"], None, self.parameters()
        found = {name: found[name] for name in self.order}
        if request.get("restore"):
            self.restore(self.fresh)
            with torch.no_grad():
                for p, values in zip(found.values(), self.views["state_old"][0].split([p.numel() for p in found.values()])):
                    p.copy_(values.reshape(p.shape))
        self.fresh = self.state()
        regime, seed = request["regime"], request["seed"]

        def forward(of):
            inputs, _, _ = self.make_inputs(seed, 1.0)
            self.seed(request["forward_seed"])
            return inputs, lambda values: of(*values)
        with torch.no_grad():
            if regime == "PB":
                clone = copy.deepcopy(model)
                own = dict(clone.named_parameters())
                for name, value in vary.perturb(found, seed, "P1").items():
                    own[name].copy_(value)
                made = vary.balanced(clone, *forward(clone), seed)
                new = {name: made[name] for name in found}
            else:
                if regime != "P1":
                    clone = copy.deepcopy(model)
                    shifts = vary.bias_shifts(clone, *forward(clone))
                new = vary.perturb(found, seed, regime, shifts, self.reach)
            clone = None
        for name, values in (("state_old", found), ("state_new", new)) if "state_new" in self.views else ():
            self.views[name][0].copy_(torch.cat([(values[key] if key in values else p).detach().reshape(-1).to(self.views[name][0]) for key, p in found.items()]))
        with torch.no_grad():
            for name, value in new.items():
                found[name].copy_(value)
        self.oracle = None
        self.synchronize()

    def parameters(self):
        return {name: p for name, p in self.models["model"].named_parameters() if p.is_floating_point() and p.numel()}

    def op_stand_ins(self, request, _):
        """Makes ready for the stand-ins of the draw that lies in draw_in0 and draw_out0, and lists them if that is wanted. `inputs`: its tree;
        `mutates`: the forward writes to its inputs. All else is as in the op_family that made it."""
        forward_seed, before, after, tree, mutates = request["forward_seed"], self.before, self.state(), request["inputs"], request["mutates"]

        def run(values):
            self.restore(before)
            try:
                return self.tensors_of(self.forward(copy.deepcopy(values) if mutates else values, forward_seed))
            finally:
                self.restore(after)

        def other():
            return decode(*self.draw_family(request, request["seed"] + 1))

        stand_ins = load("stand_ins")
        fixed = {leaf["slot"] for leaf in worker.leaves(self.trees["draw_out0"]) if leaf["t"] != "tensor"}
        made = self.stand_ins = stand_ins.StandIns(self.models["model"], run, decode(tree, self.views["draw_in0"]), self.views["draw_out0"], fixed, other)

        def wide():
            """The same of the reference in float64, and what rounding alone does to that: inputs one unit of it away."""
            oracle, ensemble = load("oracle"), load("ensemble")

            def run_wide(values):
                self.restore(before, self.oracle.model)
                return self.tensors_of(self.oracle.run(copy.deepcopy(values) if mutates else values, forward_seed))

            def widened(values):
                return stand_ins.map_tensors(values, lambda tensor: oracle.widened([tensor])[0])

            inputs = widened(made.inputs)
            found = stand_ins.StandIns(self.oracle.model, run_wide, inputs, self.views["exact"], fixed, lambda: widened(made.other))
            found.rounding = lambda: ensemble.tried(run_wide, ensemble.nudged(inputs))
            return found

        self.make_wide_stand_ins, self.wide_stand_ins = wide, None
        found, left_out = made.listing(request["random"]) if request["listing"] else ([], 0)
        return {"stand_ins": found, "left_out": left_out}

    def op_stand_in(self, request, _):
        """Puts one of them where outputs go. One that can't be made is no failure: nobody's candidate can make it either."""
        try:
            values, views = self.stand_ins.make(request["kind"], request["what"]), self.views[request["out"]]
            if len(values) != len(views) or any(value.shape != view.shape or value.dtype != view.dtype for value, view in zip(values, views)):
                raise ValueError("its outputs are built otherwise")
            for view, value in zip(views, values):
                view.copy_(value)
        except Exception as error:
            return {"made": False, "why": self.why_not(error)}
        self.synchronize()
        return {"made": True}

    def op_stand_in_exact(self, request, _):
        """Whether the reference in float64 with the same change gives the same outputs but for rounding; null: that can't be had."""
        try:
            if self.wide_stand_ins is None:
                self.wide_stand_ins = self.make_wide_stand_ins()
            return {"same": self.same_in_float64(self.wide_stand_ins.make(request["kind"], request["what"]))}
        except Exception as error:
            return {"same": None, "why": self.why_not(error)}

    def why_not(self, error):
        refusal = worker.refusal_of(error, "not_made")
        if "CUDA" in refusal.text or refusal.code == "out_of_memory":
            raise error
        return worker.one_line(refusal.text, 200)

    def same_in_float64(self, values):
        oracle, leaves = load("oracle"), self.output_leaves([])
        exact = [oracle.flat(view, leaf) for view, leaf in zip(self.views["exact"], leaves)]

        def distances(outputs):
            return [oracle.distance(oracle.flat(value, leaf), r) for value, leaf, r in zip(outputs, leaves, exact)]

        if len(values) != len(exact) or any(value.shape != view.shape for value, view in zip(values, self.views["exact"])):
            return False
        far = distances(values)
        if all(d <= size * 2.0**-36 for d, size in far):
            return True
        if not all(math.isfinite(d) for d, _ in far) or any(d > size * 2.0**-10 and size > 2.0**-20 for d, size in far):
            return False
        moved = self.wide_stand_ins.rounding()
        return moved is not None and all(d <= 256 * own for (d, _), (own, _) in zip(far, distances(moved)))

    def make_inputs(self, seed, scale):
        """get_inputs() under the draw's seed, on the device where its code lets it, scaled and cast; its tree; its tensors."""
        inputs = None
        if self.make_on_device and self.device.type != "cpu":
            self.seed(seed)
            try:
                with self.device:
                    inputs = self.module.get_inputs()
            except torch.cuda.OutOfMemoryError:  # not what get_inputs() is to blame for
                raise
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

    @contextlib.contextmanager
    def flags_kept(self):
        """Whatever is set meanwhile, the flags are afterwards as they were."""
        before = self.op_flags({}, [])
        try:
            yield
        finally:
            self.op_flags(before, [])

    def op_compile(self, request, _):
        self.models["compiled"] = torch.compile(self.models["model"])


def same_bits(a, b):
    """Whether two tensors of one type and shape hold the same bits; a NaN is not equal to itself."""
    if a.dtype == torch.complex128:
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return torch.equal(a.view(bits), b.view(bits))


def told(number):
    """JSON has no infinity."""
    return number if number is None or math.isfinite(number) else "infinite"


def are_finite(tensors):
    """A flag for each, on its device: to read them one by one would wait for each."""
    return [torch.isfinite(t).all() for t in tensors if t.is_floating_point() or t.is_complex()]


if __name__ == "__main__":
    Reference().serve()
