#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What KernelBench's own evaluator says of the zoo's candidates: how many hostile or wrong ones it accepts, and honest ones it rejects.

usage: python scripts/kernelbench_verdicts.py --kernelbench PATH --zoo FOLDER --suite FOLDER [--only PATTERN ...] [--jobs 8]
           [--seconds TOTAL] [--timeout 60] [--static] [--controls yes|no] [--size gpu] [--checks 5] [--user nobody|keep] [--out FILE]

PATH is a clone of KernelBench; its src/kernelbench/eval.py is called, without timing. FOLDER of the zoo holds zoo.toml, whose `expect`
says which candidates must fail. One JSON object a line and a candidate: file, problem, expect, must_fail, compiled, correct, error_class, error,
seconds; with --static also static_errors (of KernelBench's kernel_static_checker) and static_errors_without_backend (without its demand for a
kernel in the backend's language). At the end a summary, on stderr. Those not run have error_class "not_run". For each problem a control runs as well, its own Model as the candidate: where
KernelBench rejects that, it can't judge the problem (it compares single tensors, and casts labels to floats), which the summary tells apart.

These candidates are hostile. Each runs in a process group of its own, in a folder that is thrown away, with limits of time, memory, file size and
processes; if you are root, as a user of its own without privileges, all of whose processes are killed afterwards. That is no box: the network and
what others may read stay open to it. KernelBench and the candidate share a process, so a candidate could write its own verdict; none
of the zoo's aims at this script. Needs a CUDA device. One that runs out of memory, or finds the device in an error, beside others is run again alone.
"""
import argparse
import importlib.util
import json
import os
import pwd
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback

import kernelbench_times

FIRST_UID = 64100  # nobody's: one for each job, so that one candidate can't kill another
AGAIN = ("out of memory", "CUDA error", "CUBLAS_STATUS_ALLOC_FAILED", "busy")


def read_manifest(path):
    """The [[candidate]] entries of zoo.toml."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11; every value that is needed here stands on one line
        return read_simple_manifest(path)
    with open(path, "rb") as file:
        return tomllib.load(file)["candidate"]


def read_simple_manifest(path):
    entries = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() == "[[candidate]]":
                entries.append({})
            key, equals, value = line.partition(" = ")
            if entries and equals and key in ("file", "problem", "expect", "needs"):
                entries[-1][key] = json.loads(value)
    return entries


def load_static_checker(kernelbench):
    """It needs neither PyTorch nor the rest of KernelBench, and only reads the text."""
    path = os.path.join(kernelbench, "src", "kernelbench", "kernel_static_checker.py")
    spec = importlib.util.spec_from_file_location("kernel_static_checker", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_statically(checker, source):
    def errors(backend):
        return sorted(checker.validate_kernel_static(source, backend=backend, precision="fp32")[1])

    return {"static_errors": errors(kernelbench_times.backend_of(source)), "static_errors_without_backend": errors("none")}


# ---- in a candidate's own process

def evaluate(request):
    """KernelBench's result as a record."""
    import torch

    kernelbench_eval, _ = kernelbench_times.load_kernelbench(request["kernelbench"])
    reference = kernelbench_times.problem_source(request["problem"], request["size"])
    with open(request["candidate"], encoding="utf-8") as file:
        source = file.read()
    result = kernelbench_eval.eval_kernel_against_ref(
        reference, source, num_correct_trials=request["checks"], num_perf_trials=1, measure_performance=False,
        device=torch.device("cuda", 0), backend=kernelbench_times.backend_of(source))
    if result is None:
        return {"error_class": "no_result", "error": "KernelBench gave no result: a lock or a file that is not there, while it compiled"}
    said = result.metadata
    name = next((str(said[key]) for key in ("compilation_error_name", "runtime_error_name", "correctness_issue_name") if key in said), None)
    text = next((said[key] for key in ("compilation_error", "runtime_error", "correctness_issue") if key in said), None)
    if name is None and text is not None:
        name = "output_mismatch"
    if not result.compiled and name is None:
        name = "compilation"
    return {"compiled": bool(result.compiled), "correct": bool(result.compiled and result.correctness), "error_class": name,
            "error": None if text is None else kernelbench_times.one_line(text)}


def run_one(path):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    for what, limit in ((resource.RLIMIT_FSIZE, request["file_bytes"]), (resource.RLIMIT_NPROC, request["processes"])):
        hard = resource.getrlimit(what)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(what, (limit, limit))
    try:
        answer = evaluate(request)
    except BaseException as error:  # a candidate may raise anything
        traceback.print_exc()
        answer = {"error_class": type(error).__name__, "error": kernelbench_times.one_line(error)}
    with open(request["answer"], "w", encoding="utf-8") as file:
        json.dump(answer, file)
    sys.stdout.flush()
    os._exit(0)  # what a candidate left behind for the interpreter's end has no say


# ---- outside

def pids_where(belongs):
    """Processes of which belongs(pid, stat fields, uid) holds; those that go meanwhile are left out."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
                uid = os.stat(f"/proc/{name}").st_uid
            except OSError:
                continue
            if belongs(fields, uid):
                found.append(int(name))
    return found


def source_path(options, entry):
    return os.path.join(options.suite, entry["problem"] + ".py") if entry.get("control") else os.path.join(options.zoo, entry["file"])


class Job:
    """One candidate on its way."""

    def __init__(self, options, entry, slot, alone):
        self.entry, self.options, self.alone = entry, options, alone
        self.uid = FIRST_UID + slot if options.user == "nobody" and os.geteuid() == 0 else None
        self.folder = tempfile.mkdtemp(prefix="candidate_", dir=options.work)
        self.files = {}
        for name in ("home", "tmp", "extensions"):
            os.mkdir(os.path.join(self.folder, name))
        for name, source in (("problem", os.path.join(options.suite, entry["problem"] + ".py")), ("candidate", source_path(options, entry))):
            self.files[name] = os.path.join(self.folder, name + ".py")
            shutil.copyfile(source, self.files[name])
        if entry.get("control"):
            with open(self.files["candidate"], "a", encoding="utf-8") as file:
                file.write(f"\nif 'SIZES' in globals():\n    globals().update(SIZES[{options.size!r}])\nModelNew = Model\n")
        self.answer = os.path.join(self.folder, "answer.json")
        request = os.path.join(self.folder, "request.json")
        with open(request, "w", encoding="utf-8") as file:
            json.dump({"kernelbench": options.kernelbench_copy, "size": options.size, "checks": options.checks, "answer": self.answer,
                       "file_bytes": 2 << 30, "processes": 1024 if self.uid else 8192, **self.files}, file)
        identity = {}
        if self.uid:
            for top, folders, files in os.walk(self.folder):
                for path in [top] + [os.path.join(top, name) for name in folders + files]:
                    os.chown(path, self.uid, self.uid)
            identity = {"user": self.uid, "group": self.uid, "extra_groups": []}
        self.log = os.path.join(options.work, os.path.basename(self.folder) + ".log")
        self.start = self.next_look = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([sys.executable, "-B", options.script, "--one", request], cwd=self.folder, env=self.environment(),
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **identity)

    def environment(self):
        kept = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CC", "CXX", "CUDAHOSTCXX", "LANG")
        env = {name: os.environ[name] for name in kept if name in os.environ}
        folder = self.folder
        threads = str(max(1, (os.cpu_count() or 1) // self.options.jobs))
        env.update(HOME=f"{folder}/home", TMPDIR=f"{folder}/tmp", TORCH_EXTENSIONS_DIR=f"{folder}/extensions", TRITON_CACHE_DIR=f"{folder}/triton",
                   XDG_CACHE_HOME=f"{folder}/home/cache", CUDA_CACHE_PATH=f"{folder}/home/nv", TORCHINDUCTOR_CACHE_DIR=f"{folder}/inductor",
                   USER="nobody", LOGNAME="nobody", OMP_NUM_THREADS=threads, MAX_JOBS="2")
        return env

    def pids(self):
        if self.uid:
            return pids_where(lambda fields, uid: uid == self.uid and fields[0] != "Z")
        return pids_where(lambda fields, uid: int(fields[3]) == self.process.pid and fields[0] != "Z")  # its session

    def resident_bytes(self):
        pages = 0
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                    pages += int(file.read().split()[1])
            except (OSError, IndexError):
                pass
        return pages * resource.getpagesize()

    def over(self):
        """Why it must end now, or whether it has ended (""); None: it goes on."""
        if self.process.poll() is not None:
            return ""
        if time.monotonic() - self.start > self.options.timeout:
            return "timeout"
        if time.monotonic() > self.next_look:  # it takes a look at every process of the machine
            self.next_look = time.monotonic() + 1
            if self.resident_bytes() > self.options.memory_gib * 2**30:
                return "memory"
        if os.path.getsize(self.log) > 64 << 20:
            return "output"
        return None

    def end(self, why):
        """Kills what is left of it, and tells what it came to."""
        seconds = time.monotonic() - self.start
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for _ in range(100):  # a fork bomb makes new ones while its processes are counted
            left = self.pids()
            if not left:
                break
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            code = None
        line = {"compiled": None, "correct": None, "error_class": None, "error": None}
        if why:
            line.update(error_class=why, error=f"ended after {seconds:.0f} s: its limit of {why}")
        else:
            line.update(self.read_answer() or {"error_class": f"signal_{-code}" if code is not None and code < 0 else "no_answer",
                                               "error": f"its process ended with {code} and left no answer: {self.last_words()}"})
        if self.options.verbose:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                sys.stderr.write(log.read(1 << 20))
        shutil.rmtree(self.folder, ignore_errors=True)
        os.unlink(self.log)
        line["seconds"] = round(seconds, 2)
        return line

    def last_words(self):
        with open(self.log, "rb") as log:
            log.seek(max(0, os.path.getsize(self.log) - 200))
            return kernelbench_times.one_line(log.read(200).decode("utf-8", "replace"))

    def read_answer(self):
        try:
            descriptor = os.open(self.answer, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            try:
                said = json.loads(file.read(1 << 20))
            except ValueError:
                return None
        if not isinstance(said, dict):
            return None
        answer = {key: said.get(key) for key in ("compiled", "correct", "error_class", "error")}
        for key in ("compiled", "correct"):
            if not isinstance(answer[key], bool):
                answer[key] = None
        for key in ("error_class", "error"):
            if answer[key] is not None:
                answer[key] = kernelbench_times.one_line(answer[key])
        return answer


def run_all(options, entries, report):
    """Runs them, `jobs` at a time; those that other candidates may have disturbed once more, alone."""
    begun = time.monotonic()

    def has_time():
        return options.seconds <= 0 or time.monotonic() - begun < options.seconds

    waiting, again, running = list(entries), [], {}
    try:
        while waiting or again or running:
            if not has_time():
                for entry in waiting:
                    report(entry, {"error_class": "not_run", "error": "no time left", "seconds": 0})
                for entry, line in again:
                    report(entry, line)
                waiting, again = [], []
            if again and not waiting and not running:
                running[0] = Job(options, again.pop(0)[0], 0, alone=True)
            while waiting and len(running) < options.jobs:
                slot = next(i for i in range(options.jobs) if i not in running)
                running[slot] = Job(options, waiting.pop(0), slot, alone=options.jobs == 1)
            for slot, job in list(running.items()):
                why = job.over()
                if why is None:
                    continue
                line = job.end(why)
                del running[slot]
                if not job.alone and any(text in str(line["error"]) for text in AGAIN):
                    again.append((job.entry, line))
                else:
                    report(job.entry, line)
            time.sleep(0.05)
    finally:
        for job in running.values():
            job.end("interrupt")


def accepted_and_rejected(lines):
    bad = [line for line in lines if line["must_fail"]]
    good = [line for line in lines if not line["must_fail"]]
    return (f"accepts {sum(bool(line['correct']) for line in bad)} of {len(bad)} that must fail, "
            f"and rejects {sum(not line['correct'] for line in good)} of {len(good)} that are right")


def summarise(all_lines, static):
    lines = [line for line in all_lines if not line["file"].startswith("control/")]
    unjudged = {line["problem"] for line in all_lines if line["file"].startswith("control/") and line["error_class"] != "not_run" and not line["correct"]}
    ran = [line for line in lines if line["error_class"] != "not_run"]
    bad = [line for line in ran if line["must_fail"]]
    good = [line for line in ran if not line["must_fail"]]
    accepted = [line for line in bad if line["correct"]]
    rejected = [line for line in good if not line["correct"]]
    text = [f"KernelBench {accepted_and_rejected(ran)}; {len(lines) - len(ran)} not run"]
    if unjudged:
        text.append(f"  it rejects the own Model of {', '.join(sorted(unjudged))}; without these it "
                    f"{accepted_and_rejected([line for line in ran if line['problem'] not in unjudged])}")
    for group in sorted({line["file"].split("/")[0] for line in bad}):
        of_group = [line for line in bad if line["file"].startswith(group + "/")]
        text.append(f"  {group}: accepts {sum(bool(line['correct']) for line in of_group)} of {len(of_group)} that must fail")
    if static:
        for name, some in (("that must fail", bad), ("accepted that must fail", accepted), ("that are right", good)):
            text.append(f"  its static checker flags {sum(bool(line['static_errors']) for line in some)} of {len(some)} {name}, "
                        f"{sum(bool(line['static_errors_without_backend']) for line in some)} for more than the language")
    text += [f"  accepted: {line['file']} (here: {line['expect']})" for line in accepted]
    text += [f"  rejected: {line['file']}: {line['error_class']}: {line['error']}" for line in rejected]
    return "\n".join(text)


def parse(arguments):
    parser = argparse.ArgumentParser(description="KernelBench's own verdicts on the zoo's candidates.")
    parser.add_argument("--kernelbench", metavar="PATH", help="a clone of KernelBench")
    parser.add_argument("--zoo", metavar="FOLDER", help="with zoo.toml")
    parser.add_argument("--suite", metavar="FOLDER", help="with the problems")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="candidates whose file contains it (again for more)")
    parser.add_argument("--jobs", type=int, default=8, help="at a time, on one device (default: 8)")
    parser.add_argument("--seconds", type=float, default=0, help="starts none after that (default: no limit)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each (default: 60)")
    parser.add_argument("--memory-gib", type=float, default=24, help="resident host memory for each (default: 24)")
    parser.add_argument("--checks", type=int, default=5, help="random inputs that are compared (default: 5, as in its scripts)")
    parser.add_argument("--size", default="gpu", help="which of the problem's SIZES (default: gpu)")
    parser.add_argument("--static", action="store_true", help="also asks its static checker")
    parser.add_argument("--controls", choices=("yes", "no"), default="yes", help="whether each problem's own Model runs too (default: yes)")
    parser.add_argument("--user", choices=("nobody", "keep"), default="nobody", help="if root: users without privileges (default), or root")
    parser.add_argument("--out", metavar="FILE", help="where the lines go, instead of stdout")
    parser.add_argument("--verbose", action="store_true", help="shows what the candidates printed")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # set in a candidate's own process
    options = parser.parse_args(arguments)
    if options.one:
        return options
    for name, inside in (("kernelbench", "src/kernelbench/eval.py"), ("zoo", "zoo.toml"), ("suite", "")):
        folder = getattr(options, name)
        if not folder or not os.path.exists(os.path.join(folder, inside)):
            parser.error(f"--{name} needs a folder" + (f" with {inside}" if inside else ""))
    if options.jobs < 1 or options.checks < 1 or options.timeout <= 0:
        parser.error("--jobs, --checks and --timeout are above 0")
    return options


def choose(options):
    """Those that can run here, the ones that take longest first; and "file: reason" of the others."""
    chosen, left_out = [], []
    for entry in read_manifest(os.path.join(options.zoo, "zoo.toml")):
        if options.only and not any(pattern in entry["file"] for pattern in options.only):
            continue
        needs = set(entry.get("needs", []))
        if needs & {"cxx", "cpu"}:
            left_out.append(f"{entry['file']}: tensors on the CPU")
        elif not os.path.exists(os.path.join(options.suite, entry["problem"] + ".py")):
            left_out.append(f"{entry['file']}: no problem {entry['problem']} in {options.suite}")
        else:
            chosen.append(entry)
    if options.controls == "yes":
        chosen += [{"file": f"control/{problem}", "problem": problem, "expect": "correct", "control": True}
                   for problem in sorted({entry["problem"] for entry in chosen})]
    chosen.sort(key=lambda entry: (entry["expect"] != "timeout", entry["expect"] == "correct", "control" not in entry, "cuda" not in entry.get("needs", [])))
    return chosen, left_out


def preflight(options):
    """Why a candidate's process could not work, or None."""
    identity = {"user": FIRST_UID, "group": FIRST_UID, "extra_groups": []} if options.user == "nobody" and os.geteuid() == 0 else {}
    command = [sys.executable, "-B", "-c", "import torch, sys; sys.exit(0 if torch.cuda.is_available() else 9)"]
    try:
        ended = subprocess.run(command, cwd="/", env={**os.environ, "HOME": "/nonexistent"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, timeout=120, text=True, **identity)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{sys.executable} does not start: {error}" + (" (--user keep runs it as root)" if identity else "")
    if ended.returncode == 9:
        return "no CUDA device: KernelBench evaluates on a GPU only"
    if ended.returncode != 0:
        return f"{sys.executable} can't import PyTorch: {kernelbench_times.one_line(ended.stdout)}" + (" (--user keep runs it as root)" if identity else "")
    return None


def taken_uids(options):
    """Users of the machine that have the numbers that are to be nobody's."""
    return [uid for uid in range(FIRST_UID, FIRST_UID + options.jobs)
            if any(entry.pw_uid == uid for entry in pwd.getpwall()) or pids_where(lambda _, owner, uid=uid: owner == uid)]


def main():
    options = parse(sys.argv[1:])
    if options.one:
        return run_one(options.one)
    problem = preflight(options)
    if problem is None and os.geteuid() == 0 and options.user == "nobody" and taken_uids(options):
        problem = f"the users {taken_uids(options)} are somebody's here"
    if problem:
        print(f"kernelbench_verdicts.py: {problem}", file=sys.stderr)
        return 3
    checker = load_static_checker(options.kernelbench) if options.static else None
    chosen, left_out = choose(options)
    lines = []
    with tempfile.TemporaryDirectory(prefix="kbv_verdicts_") as options.work, \
            (open(options.out, "w", encoding="utf-8") if options.out else os.fdopen(os.dup(1), "w", encoding="utf-8")) as out:
        # What the candidates' users must read, wherever the originals lie.
        os.chmod(options.work, 0o755)
        options.kernelbench_copy = os.path.join(options.work, "kernelbench")
        shutil.copytree(os.path.join(options.kernelbench, "src"), os.path.join(options.kernelbench_copy, "src"))
        for name in ("kernelbench_verdicts.py", "kernelbench_times.py"):
            shutil.copyfile(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), os.path.join(options.work, name))
        options.script = os.path.join(options.work, "kernelbench_verdicts.py")
        for top, folders, files in os.walk(options.work):
            for name in folders:
                os.chmod(os.path.join(top, name), 0o755)
            for name in files:
                os.chmod(os.path.join(top, name), 0o644)

        def report(entry, line):
            full = {"file": entry["file"], "problem": entry["problem"], "expect": entry["expect"], "must_fail": entry["expect"] != "correct",
                    "compiled": None, "correct": None, **line}
            if checker:
                with open(source_path(options, entry), encoding="utf-8") as file:
                    full.update(check_statically(checker, file.read()))
            lines.append(full)
            print(json.dumps(full), file=out, flush=True)

        run_all(options, chosen, report)
    for reason in left_out:
        print(f"left out: {reason}", file=sys.stderr)
    print(summarise(lines, options.static), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
