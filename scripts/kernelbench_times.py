#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What KernelBench itself says of candidates: its own check and its own clock, from a copy of it that the user has.

usage: python scripts/kernelbench_times.py --kernelbench PATH [--size gpu] [--trials 100] [--checks 5]
           [--method cuda_event] [--timeout 300] [--kbv KBV [--kbv-option OPTION ...]] [--table]
           PROBLEM CANDIDATE [PROBLEM CANDIDATE ...]

PATH is a clone of KernelBench, whose src/kernelbench/eval.py is called with the settings of its own scripts. One JSON object
a line and a pair, on stdout: problem, candidate, method, kernelbench_mean_us, kernelbench_std_us,
kernelbench_reference_mean_us (null: KernelBench has no such time), correct (null: it came to no answer), error.
With --kbv, that kbv evaluates each pair as well, and the line says what it found: kbv_verdict, kbv_us and kbv_reference_us
(PyTorch's default flags, as KernelBench has them), kbv_claimed_us (the candidate's own events), kbv_evidence. --table prints
a table at the end. --no-kernelbench leaves KernelBench out: what kbv says alone.

Needs a CUDA device. Each pair runs in a process of its own, but nothing is boxed: a hostile candidate runs as you do.
"""
import argparse
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
import types

# KernelBench's package imports clients of language models before anything else. Timing needs none of them, and they would
# look for keys: they are replaced even where they are installed. The others are replaced only where they are missing.
NEVER_NEEDED = ("dotenv", "openai", "litellm")
NEEDED_BY_NAME_ONLY = ("tqdm", "requests", "pydantic")


class Model:
    """Enough of pydantic.BaseModel for a record with defaults."""

    def __init__(self, **fields):
        for name in type(self).__annotations__:
            setattr(self, name, copy.deepcopy(getattr(type(self), name, None)))
        vars(self).update(fields)


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that have every name, each a function that does nothing."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.BaseModel = Model
        module.__getattr__ = self.anything
        return module

    @staticmethod
    def anything(name):
        if name.startswith("__"):  # what the interpreter asks of a module must stay what it is
            raise AttributeError(name)
        return lambda *args, **kwargs: None

    def exec_module(self, module):
        pass


def load_kernelbench(path):
    """KernelBench's eval and timing modules, from the clone at `path`."""
    import torch  # noqa: F401, before there are stubs that it could take for packages

    first, last = Stubs(NEVER_NEEDED), Stubs(NEEDED_BY_NAME_ONLY)
    sys.meta_path.insert(0, first)
    sys.meta_path.append(last)
    sys.path.insert(0, os.path.join(path, "src"))
    from kernelbench import eval as kernelbench_eval, timing

    sys.meta_path[:] = [finder for finder in sys.meta_path if finder not in (first, last)]
    for name, module in list(sys.modules.items()):
        if isinstance(getattr(getattr(module, "__spec__", None), "loader", None), Stubs):
            del sys.modules[name]  # KernelBench holds them; nobody else shall find them
    return kernelbench_eval, timing


def problem_source(path, size):
    """The problem's text, ending in the assignment of the constants of one of its sizes (as the worker's op_load does)."""
    with open(path, encoding="utf-8") as file:
        source = file.read()
    spec = importlib.util.spec_from_file_location("problem", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sizes = getattr(module, "SIZES", None)
    if sizes is None:  # one of KernelBench's own files
        return source
    if size not in sizes:
        raise ValueError(f"SIZES of {path} has no entry {size!r}")
    return source + f"\nglobals().update(SIZES[{size!r}])\n"


def backend_of(source):
    """Triton's compiler reads a kernel's source from its file, for which KernelBench has a way of its own."""
    return "triton" if "import triton" in source else "cuda"


def measure(options, problem, candidate):
    """One pair, in this process."""
    import torch

    kernelbench_eval, timing = load_kernelbench(options.kernelbench)
    reference = problem_source(problem, options.size)
    with open(candidate, encoding="utf-8") as file:
        source = file.read()

    # It rounds to three digits. The same samples, before they are rounded: the candidate's, then the reference's.
    samples, rounded = [], timing.get_timing_stats

    def keep_samples(times, *args, **kwargs):
        samples.append([1e3 * float(t) for t in times])  # from ms
        return rounded(times, *args, **kwargs)

    timing.get_timing_stats = keep_samples
    result = kernelbench_eval.eval_kernel_against_ref(
        reference, source, num_correct_trials=options.checks, num_perf_trials=options.trials, measure_performance=True,
        timing_method=options.method, device=torch.device("cuda", 0), backend=backend_of(source))
    if result is None:
        return {"error": "KernelBench gave no result: a lock or a file that is not there, while it compiled"}
    answer = {"correct": bool(result.compiled and result.correctness)}
    timed = result.runtime != -1
    if timed:
        answer["kernelbench_mean_us"], answer["kernelbench_std_us"] = mean_and_deviation(samples[0])
    if samples[timed:]:
        answer["kernelbench_reference_mean_us"] = mean_and_deviation(samples[-1])[0]
    if not timed:
        said = {key: result.metadata[key] for key in ("compilation_error", "runtime_error", "correctness_issue",
                                                      "error_during_performance") if key in result.metadata}
        answer["error"] = "KernelBench does not time it: " + (one_line(said) if said else "no reason given")
    return answer


def mean_and_deviation(values):
    mean = sum(values) / len(values)
    return mean, (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5


def one_line(value, limit=300):
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def run_child(options, problem, candidate, answer_path):
    """What a pair's own process does. What anybody prints there is no answer; the answer is a file."""
    try:
        answer = measure(options, problem, candidate)
    except BaseException as error:  # a candidate may raise anything
        traceback.print_exc()
        answer = {"error": one_line(f"{type(error).__name__}: {error}")}
    with open(answer_path, "w", encoding="utf-8") as file:
        json.dump(answer, file)


def run_pair(options, problem, candidate):
    with tempfile.TemporaryDirectory() as folder:
        answer_path, log_path = os.path.join(folder, "answer"), os.path.join(folder, "log")
        command = [sys.executable, os.path.abspath(__file__), "--kernelbench", options.kernelbench, "--size", options.size,
                   "--trials", str(options.trials), "--checks", str(options.checks), "--method", options.method,
                   "--answer", answer_path, problem, candidate]
        with open(log_path, "wb") as log:
            child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                     start_new_session=True)
            try:
                code, error = child.wait(options.timeout), None
            except subprocess.TimeoutExpired:
                code, error = None, f"not done after {options.timeout:g} s"
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)  # and what it left behind
                except ProcessLookupError:
                    pass
                child.wait()
        if options.verbose:
            with open(log_path, encoding="utf-8", errors="replace") as log:
                sys.stderr.write(log.read())
        if error:
            return {"error": error}
        try:
            with open(answer_path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {"error": f"the process ended with {code} and left no answer"}


def run_kbv(options, problem, candidate):
    """What `kbv eval` says of the pair."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "observation.json")
        command = [options.kbv, "eval", problem, candidate, "--size", options.size, "--protocol", "kernelbench", "--json", path,
                   *options.kbv_option]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
        if options.verbose:
            sys.stderr.write(ended.stdout)
        try:
            with open(path, encoding="utf-8") as file:
                seen = json.load(file)
        except (OSError, ValueError):
            return {"kbv_verdict": f"none: {one_line(ended.stdout)}"}
    verdicts = {verdict["protocol"]: verdict for verdict in seen["verdicts"]}
    eager = [speed for speed in verdicts["kernelbench"]["speed"] if speed["baseline"] == "eager"]
    own = seen["candidate_time"]
    claims = sorted(own["batch_claimed_us"] or own["claimed_us"])
    return {"kbv_verdict": verdicts["attested"]["code"], "kbv_us": verdicts["kernelbench"]["time_us"],
            "kbv_reference_us": eager[0]["baseline_us"] if eager else None,
            "kbv_claimed_us": claims[len(claims) // 2] if claims else None,
            "kbv_evidence": sorted({evidence["kind"] for evidence in verdicts["kernelbench"]["evidence"]})}


def print_table(lines, with_kbv):
    """In Markdown."""
    def number(value):
        return "-" if value is None else f"{value:.1f}"

    heads = ["candidate", "KernelBench: correct", "time, us", "PyTorch, us", "speedup"]
    if with_kbv:
        heads += ["kbv: verdict", "time, us", "PyTorch, us", "speedup", "its own events, us", "evidence"]
    print("\n| " + " | ".join(heads) + " |\n" + "| --- " * len(heads) + "|")
    for line in lines:
        def ratio(reference, own):
            return f"{line[reference] / line[own]:.2f}" if line.get(reference) and line.get(own) else "-"

        cells = [os.path.splitext(os.path.basename(line["candidate"]))[0], {True: "yes", False: "no", None: "-"}[line["correct"]],
                 number(line["kernelbench_mean_us"]), number(line["kernelbench_reference_mean_us"]),
                 ratio("kernelbench_reference_mean_us", "kernelbench_mean_us")]
        if with_kbv:
            cells += [line["kbv_verdict"], number(line.get("kbv_us")), number(line.get("kbv_reference_us")),
                      ratio("kbv_reference_us", "kbv_us"), number(line.get("kbv_claimed_us")), ", ".join(line.get("kbv_evidence", []))]
        print("| " + " | ".join(cells) + " |")


def parse(arguments):
    parser = argparse.ArgumentParser(description="KernelBench's own check and clock on pairs of a problem and a candidate.")
    parser.add_argument("--kernelbench", metavar="PATH", help="a clone of KernelBench")
    parser.add_argument("--size", default="gpu", help="which of the problem's SIZES (default: gpu)")
    parser.add_argument("--trials", type=int, default=100, help="timed calls of each (default: 100, as in its scripts)")
    parser.add_argument("--checks", type=int, default=5, help="random inputs that are compared (default: 5, likewise)")
    parser.add_argument("--method", default="cuda_event",
                        choices=("cuda_event", "do_bench", "do_bench_impl", "host_time"), help="its timing_method")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a pair (default: 300)")
    parser.add_argument("--kbv", metavar="KBV", help="the kbv program: evaluates each pair as well")
    parser.add_argument("--kbv-option", action="append", default=[], metavar="OPTION", help="passed to kbv eval (again for more)")
    parser.add_argument("--no-kernelbench", action="store_true", help="asks kbv alone")
    parser.add_argument("--table", action="store_true", help="prints a table at the end")
    parser.add_argument("--verbose", action="store_true", help="shows on stderr what a pair's process printed")
    parser.add_argument("--answer", help=argparse.SUPPRESS)  # set in a pair's own process
    parser.add_argument("pairs", nargs="+", metavar="PROBLEM CANDIDATE")
    options = parser.parse_args(arguments)
    if len(options.pairs) % 2:
        parser.error("problems and candidates come in pairs")
    if options.trials < 1 or options.checks < 1 or options.timeout <= 0:
        parser.error("--trials, --checks and --timeout are above 0")
    if options.no_kernelbench and not options.kbv:
        parser.error("--no-kernelbench without --kbv leaves nothing to do")
    if not options.no_kernelbench and not options.kernelbench:
        parser.error("--kernelbench is needed: a clone of KernelBench")
    if not options.no_kernelbench and not os.path.isfile(os.path.join(options.kernelbench, "src", "kernelbench", "timing.py")):
        parser.error(f"{options.kernelbench} has no src/kernelbench/timing.py: is it a clone of KernelBench?")
    for path in options.pairs:
        if not os.path.isfile(path):
            parser.error(f"{path} is not a file")
    return options


def main():
    options = parse(sys.argv[1:])
    if options.answer:
        return run_child(options, *options.pairs, options.answer)
    try:
        import torch
        missing = None if torch.cuda.is_available() else "no CUDA device: KernelBench times on a GPU only"
    except ImportError:
        missing = f"{sys.executable} has no PyTorch"
    if missing:
        print(f"kernelbench_times.py: {missing}", file=sys.stderr)
        return 3
    lines = []
    for problem, candidate in zip(options.pairs[::2], options.pairs[1::2]):
        line = {"problem": problem, "candidate": candidate, "method": options.method, "kernelbench_mean_us": None,
                "kernelbench_std_us": None, "kernelbench_reference_mean_us": None, "correct": None, "error": None}
        if not options.no_kernelbench:
            line.update(run_pair(options, problem, candidate))
        if options.kbv:
            line.update(run_kbv(options, problem, candidate))
        lines.append(line)
        print(json.dumps(line), flush=True)
    if options.table:
        print_table(lines, bool(options.kbv))
    return 0


if __name__ == "__main__":
    sys.exit(main())
