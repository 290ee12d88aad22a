#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/kernelbench_verdicts.py with a KernelBench and a PyTorch that are stand-ins: what it does with candidates that are accepted,
rejected, crash, hang, fill the disk, leave processes behind or forge an answer. usage: kernelbench_verdicts_test.py [unittest options]"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "kernelbench_verdicts.py")



def interpreter():
    """This Python, and the options to run it with; the system's where other users can't read this one."""
    if os.geteuid() != 0:
        return sys.executable, []
    for path in (sys.executable, "/usr/bin/python3"):
        try:
            subprocess.run([path, "-c", ""], user=64100, cwd="/", check=True)
            return path, []
        except (OSError, subprocess.CalledProcessError):
            pass
    return sys.executable, ["--user", "keep"]


PYTHON, USER = interpreter()

EVAL = '''
class Result:
    def __init__(self, compiled, correctness, metadata):
        self.compiled, self.correctness, self.metadata = compiled, correctness, metadata

def eval_kernel_against_ref(reference, source, num_correct_trials, num_perf_trials, measure_performance, device, backend):
    assert "SIZES" in reference and num_correct_trials == 5 and not measure_performance
    context = {}
    if "ModelNew = Model" in source:
        assert "SIZES['gpu']" in source
        return Result(True, "mute" not in source, {})
    try:
        exec(source, context)
    except SyntaxError as error:
        return Result(False, False, {"compilation_error_name": "builtins.SyntaxError", "compilation_error": error})
    if context.get("lock"):
        return None
    if context.get("raises"):
        return Result(True, False, {"runtime_error_name": "builtins.RuntimeError", "runtime_error": context["raises"]})
    return Result(True, context["right"], {} if context["right"] else {"correctness_issue": "Output mismatch"})
'''
CHECKER = '''
def validate_kernel_static(source, backend, precision):
    errors = ["threads"] if "thread" in source else []
    if backend in ("cuda", "triton"):
        errors.append("no kernel")
    return not errors, errors, []
'''
PROBLEM = "import torch\nSIZES = {'gpu': {'n': 1}}\nclass Model: pass\ndef get_inputs(): return []\ndef get_init_inputs(): return []\n"

# name: (expect, source). {beacon} is a file outside that a process left behind would touch.
CANDIDATES = {
    "hostile/accepted": ("wrong_output", "right = True  # thread"),
    "hostile/rejected": ("wrong_output", "right = False"),
    "hostile/syntax": ("import_error", "def ("),
    "hostile/raises": ("runtime_error", "raises = 'no'"),
    "hostile/lock": ("rejected", "lock = True"),
    "hostile/crash": ("crash", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"),
    "hostile/exits": ("crash", "import os\nos._exit(0)"),
    "hostile/system_exit": ("crash", "raise SystemExit(0)"),
    "hostile/hangs": ("timeout", "import time\ntime.sleep(1000)"),
    "hostile/stays": ("rejected", "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(8)\n    open({beacon!r}, 'w')\nright = False"),
    "hostile/eats": ("out_of_memory", "import time\neaten = bytearray(600 << 20)\ntime.sleep(1000)"),
    "hostile/fills": ("rejected", "with open('big', 'wb') as file:\n    file.truncate(3 << 30)"),
    "hostile/link": ("rejected", "import os\nos.symlink('/etc/passwd', 'answer.json')\nos._exit(0)"),
    "hostile/garbage": ("rejected", "import os\nopen('answer.json', 'w').write('[1, 2')\nos._exit(0)"),
    "hostile/types": ("rejected", "import os\nopen('answer.json', 'w').write('{{\"correct\": \"yes\", \"error\": [1]}}')\nos._exit(0)"),
    "hostile/root": ("rejected", "import os\nraises = str(os.getuid())"),
    "hostile/memory_once": ("rejected", "import json\nraises = 'CUDA out of memory'"),
    "honest/right": ("correct", "right = True"),
    "honest/refused": ("correct", "right = False"),
    "wrong/passes": ("wrong_output", "right = True"),
    "wrong/of_mute": ("wrong_output", "right = False"),
    "honest/on_cpu": ("correct", "right = True"),
}


class Verdicts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        root = cls.root = cls.temporary.name
        os.chmod(root, 0o755)
        cls.beacon = os.path.join(root, "open", "beacon")
        files = {"clone/src/kernelbench/__init__.py": "", "clone/src/kernelbench/timing.py": "", "clone/src/kernelbench/eval.py": EVAL,
                 "clone/src/kernelbench/kernel_static_checker.py": CHECKER, "suite/problem.py": PROBLEM, "suite/mute.py": PROBLEM + "# mute\n",
                 "python/torch/__init__.py": "from . import cuda\ndef device(*name): return name\n",
                 "python/torch/cuda.py": "def is_available(): return True\n"}
        manifest = ""
        for name, (expect, source) in CANDIDATES.items():
            files[f"zoo/{name}.py"] = source.format(beacon=cls.beacon)
            needs = '["cpu"]' if name == "honest/on_cpu" else "[]"
            problem = "mute" if "mute" in name else "problem"
            manifest += f'[[candidate]]\nfile = "{name}.py"\nproblem = "{problem}"\nexpect = "{expect}"\nneeds = {needs}\n\n'
        files["zoo/zoo.toml"] = manifest
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        os.makedirs(os.path.dirname(cls.beacon))
        os.chmod(os.path.dirname(cls.beacon), 0o777)
        cls.begun = time.monotonic()
        cls.ended = cls.run_script("--jobs", "4", "--timeout", "4", "--memory-gib", "0.4", "--static")
        cls.lines = {line["file"]: line for line in map(json.loads, cls.ended.stdout.splitlines())}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_script(cls, *options):
        root = cls.root
        return subprocess.run([PYTHON, SCRIPT, *USER, "--kernelbench", f"{root}/clone", "--zoo", f"{root}/zoo", "--suite", f"{root}/suite", *options],
                              env={**os.environ, "PYTHONPATH": f"{root}/python"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120, check=False)

    def line(self, name):
        return self.lines[name + ".py"]

    def test_each_is_told_once(self):
        self.assertEqual(self.ended.returncode, 0, self.ended.stderr)
        self.assertEqual(len(self.ended.stdout.splitlines()), len(CANDIDATES) - 1 + 2, self.ended.stderr)
        self.assertIn("left out: honest/on_cpu.py", self.ended.stderr)

    def test_kernelbenchs_answers(self):
        for name, compiled, correct, error in (
                ("hostile/accepted", True, True, None), ("hostile/rejected", True, False, "output_mismatch"),
                ("hostile/syntax", False, False, "builtins.SyntaxError"), ("hostile/raises", True, False, "builtins.RuntimeError"),
                ("hostile/lock", None, None, "no_result"), ("honest/right", True, True, None), ("honest/refused", True, False, "output_mismatch")):
            line = self.line(name)
            self.assertEqual((line["compiled"], line["correct"], line["error_class"]), (compiled, correct, error), name)

    def test_ends_without_an_answer(self):
        for name, error in (("hostile/crash", "signal_11"), ("hostile/exits", "no_answer"), ("hostile/system_exit", "SystemExit"), ("hostile/hangs", "timeout"), ("hostile/eats", "memory"),
                            ("hostile/link", "no_answer"), ("hostile/garbage", "no_answer")):
            self.assertEqual((self.line(name)["correct"], self.line(name)["error_class"]), (None, error), self.line(name))
        self.assertIn(self.line("hostile/fills")["error_class"], ("OSError", "signal_25"))
        self.assertIsNone(self.line("hostile/types")["correct"])
        self.assertLess(self.line("hostile/hangs")["seconds"], 10)

    def test_out_of_memory_is_tried_again_alone(self):
        self.assertEqual(list(self.lines)[-1], "hostile/memory_once.py")

    @unittest.skipIf(os.geteuid() != 0 or USER, "only root has other users, and they must be able to read Python")
    def test_neither_root_nor_left_behind(self):
        self.assertNotEqual(self.line("hostile/root")["error"], "0")
        time.sleep(max(0, 20 - (time.monotonic() - self.begun)))
        self.assertFalse(os.path.exists(self.beacon))

    def test_summary(self):
        self.assertIn("KernelBench accepts 2 of 19 that must fail, and rejects 1 of 2 that are right; 0 not run", self.ended.stderr)
        self.assertIn("rejects the own Model of mute; without these it accepts 2 of 18 that must fail", self.ended.stderr)
        self.assertIn("hostile: accepts 1 of 17", self.ended.stderr)
        self.assertIn("flags 19 of 19 that must fail, 1 for more than the language", self.ended.stderr)
        self.assertIn("accepted: wrong/passes.py", self.ended.stderr)
        self.assertIn("rejected: honest/refused.py: output_mismatch", self.ended.stderr)

    def test_static_checker(self):
        self.assertEqual(self.line("hostile/accepted")["static_errors"], ["no kernel", "threads"])
        self.assertEqual(self.line("hostile/accepted")["static_errors_without_backend"], ["threads"])

    def test_no_time_left(self):
        ended = self.run_script("--seconds", "1e-9", "--only", "honest/")
        self.assertEqual({json.loads(line)["error_class"] for line in ended.stdout.splitlines()}, {"not_run"})
        self.assertIn("2 not run", ended.stderr)

    def test_a_wrong_clone_is_told(self):
        ended = subprocess.run([PYTHON, SCRIPT, "--kernelbench", "/nowhere", "--zoo", self.root, "--suite", self.root],
                               stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("--kernelbench needs a folder", ended.stderr)


if __name__ == "__main__":
    unittest.main()
