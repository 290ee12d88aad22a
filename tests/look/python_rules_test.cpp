// SPDX-License-Identifier: MIT
// The rules on Python, through the real helper: for each a source that has it, and one that looks alike and has not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "look/look.h"
#include "look/rules.h"

namespace kbv {
namespace {

const PythonEnvironment& python() {
  static const auto found = find_python("");
  static const PythonEnvironment none;
  return found ? *found : none;
}

/// Where each rule's labels are. Without a box, which takes longer than the look; look_test.cpp has it.
std::multimap<std::string, int> look(const std::string& source) {
  const SourceLabels labels = look_at_source(python(), source, IsolationProfile::none);
  EXPECT_EQ(labels.state, "looked at") << labels.why << "\n" << source;
  std::multimap<std::string, int> lines;
  for (const SourceLabel& label : labels.labels) lines.emplace(label.rule, label.line);
  return lines;
}

struct Case {
  const char *rule, *has, *has_not;
};

const Case k_cases[] = {
    {"side_stream", "import torch\ns = torch.cuda.Stream()\n",
     "import torch\ns = torch.cuda.current_stream()\n'torch.cuda.Stream()'\n"},
    {"side_stream", "def f(a, b):\n    a.wait_stream(b)\n", "def f(a, b):\n    a.wait(b)  # a.wait_stream(b)\n"},
    {"cuda_graph", "from torch.cuda import CUDAGraph as G\ng = G()\n", "graph = {}\nprint = graph\n"},
    {"threads", "from threading import Thread\nThread(target=print).start()\n", "thread = 1\nx = 'import threading'\n"},
    {"threads", "async def f():\n    pass\n", "def f():\n    'async def'\n"},
    {"late_work", "import atexit\natexit.register(print)\n", "class A:\n    def atexit(self):\n        pass\n"},
    {"late_work", "class A:\n    def __del__(self):\n        pass\n",
     "class A:\n    def delete(self):\n        del self.x\n"},
    {"clock", "from time import perf_counter as p\nx = p()\n", "def perf_counter():\n    pass\nx = perf_counter()\n"},
    {"timer_patch", "import torch as t\nt.cuda.Event.elapsed_time = None\n",
     "import torch as t\nx = t.cuda.Event.elapsed_time\n"},
    {"timer_patch", "import time\nsetattr(time, 'time', print)\n", "def f(time):\n    time.time = 1\n"},
    {"timer_patch", "import torch\ntorch.cuda.synchronize = lambda: None\n",
     "import torch\ntorch.cuda.synchronize()\n"},
    {"sleep", "import time as clock\nclock.sleep(1)\n", "def sleep(x):\n    pass\nsleep(1)\n"},
    {"call_count", "class A:\n    def forward(self, x):\n        self.calls += 1\n",
     "class A:\n    def forward(self, x):\n        calls = 0\n        calls += 1\n"},
    {"library_op", "import torch.nn.functional as F\ny = F.softmax(1)\n",
     "import torch\ny = torch.empty(1)\ny.shape\n"},
    {"library_op", "y = a @ b\n", "@a\ndef f():\n    pass\n"},
    {"library_op", "import torch\nf = getattr(torch, 'mat' + 'mul')\n", "import numpy as torch\nf = torch.zeros\n"},
    {"library_op", "import torch\nclass A:\n    def __init__(self):\n        self.l = torch.nn.Linear(1, 1)\n",
     "import torch\nclass A(torch.nn.Module):\n    w = torch.nn.Parameter\n"},
    {"torch_compile", "import torch\n@torch.compile\ndef f(x):\n    pass\n", "import re\nre.compile('x')\n"},
    {"fallback", "import torch\ntry:\n    f()\nexcept Exception:\n    y = torch.relu(x)\n",
     "import torch\ntry:\n    f()\nexcept Exception as error:\n    raise RuntimeError('torch.relu') from error\n"},
    {"fallback",
     "try:\n    import triton\nexcept ImportError:\n    triton = None\ndef f():\n    if triton is None:\n        "
     "return 1\n",
     "try:\n    import triton\nexcept ImportError:\n    other = None\n"},
    {"reference_model", "class Model:\n    pass\nclass ModelNew(Model):\n    pass\n", "class ModelNew:\n    'Model'\n"},
    {"low_precision", "def f(x):\n    return x.half()\n", "half = 1\nx = half\n"},
    {"low_precision", "import torch\nx = y.to(torch.bfloat16)\n",
     "import torch\nx = y.to(torch.float32)  # bfloat16\n"},
    {"low_precision", "import triton.language as tl\nx = y.to(tl.float16)\n",
     "import triton.language as tl\nx = y.to(tl.float32)\n"},
    {"tf32", "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n", "x = 'allow_tf32'\n"},
    {"tf32", "x = dot(a, b, input_precision='tf32')\n", "x = dot(a, b, input_precision='ieee')\n"},
    {"fast_math", "f(extra_cuda_cflags=['-O3', '--use_fast_math'])\n",
     "f(extra_cuda_cflags=['-O3'])  # --use_fast_math\n"},
    {"random", "import torch\ntorch.manual_seed(0)\n", "manual_seed = 0\nrandom = manual_seed\n"},
    {"identity_cache", "def f(x):\n    key = x.data_ptr()\n    return cache.get(key)\n",
     "def f(x):\n    launch(x.data_ptr(), n)\n    assert x.data_ptr() % 16 == 0\n"},
    {"identity_cache", "if id(x) == last:\n    pass\n", "def id(x):\n    pass\nif id(x) == last:\n    pass\n"},
    {"result_cache", "C = {}\ndef f(x):\n    C[x.shape] = x\n",
     "C = {}\ndef f(x):\n    D = {}\n    D[x.shape] = x\n    x[0] = D\n"},
    {"result_cache", "class A:\n    def forward(self, x):\n        self.last = g(x)\n",
     "class A:\n    def __init__(self, x):\n        self.last = g(x)\n"},
    {"tensor_subclass", "import torch\nclass L(torch.Tensor):\n    pass\n",
     "import torch\nclass L(torch.nn.Module):\n    'torch.Tensor'\n"},
    {"object_patch", "def f(x):\n    out = g(x)\n    out.clone = lambda: x\n",
     "def f(x):\n    out = g(x)\n    out.clone = 1\n"},
    {"raw_storage", "def f(x, y):\n    x.set_(y)\n", "def f(x, y):\n    set_(x)\n"},
    {"foreign_memory", "import torch\ntorch.cuda.memory_snapshot()\n", "memory_snapshot = 1\n"},
    {"module_patch", "import torch\ntorch.allclose = lambda *a: True\n",
     "import torch\nx = torch.allclose\nclass A:\n    pass\nA.allclose = x\n"},
    {"module_patch", "import sys\nsys.modules['torch'] = None\n", "modules = {}\nmodules['torch'] = None\n"},
    {"module_patch", "import builtins as b\nb.print = None\n", "class b:\n    pass\nb.print = None\n"},
    {"module_patch", "import importlib\nm = importlib.import_module('tor' + 'ch')\nm.equal = None\n",
     "m = f('torch')\nm.equal = None\n"},
    {"global_flags", "import torch\ntorch.backends.cudnn.benchmark = True\n",
     "import torch\nx = torch.backends.cudnn.benchmark\n"},
    {"code_object", "f.__code__ = g.__code__\n", "x = '__code__'\n"},
    {"hooks", "import sys\nsys.meta_path.insert(0, x)\n", "import sys\nx = sys.maxsize\n"},
    {"torch_internals", "import torch\ntorch._C._set_x(1)\n", "x._C = 1\n"},
    {"dynamic_code", "exec('x = 1')\n", "def f():\n    'exec()'\n"},
    {"dynamic_code", "import pickle as p\np.loads(x)\n", "pickle = 1\n"},
    {"built_name", "import torch\nf = getattr(torch, 're' + 'lu')\n", "import torch\nf = getattr(torch, 'relu')\n"},
    {"built_name", "f = globals()['x']\n", "f = {'x': 1}['x']\n"},
    {"encoded_text", "x = ''.join(chr(c) for c in [99, 117])\n", "x = ''.join(str(c) for c in [99, 117])\n"},
    {"encoded_text", "import base64\nx = base64.b64decode('eA==')\n", "base64 = 'eA=='\n"},
    {"odd_characters", "x = 'a\u202eb'\n", "x = 'h\u00e9'\n"},
    {"introspection", "import gc\nfor x in gc.get_objects():\n    pass\n", "gc = 1\nx = 'import gc'\n"},
    {"introspection", "x = __import__('inspect').stack()\n", "def inspect():\n    pass\ninspect()\n"},
    {"harness_name", "x = 'eval_kernel_against_ref'\n", "x = 'an eval kernel, against ref'\n"},
    // A copy of the problem's functions is in many an honest source; one that is asked for is not.
    {"harness_name", "import __main__\nf = __main__.get_inputs\n", "def get_inputs():\n    return []\n"},
    {"random", "import torch\ndef get_inputs():\n    return torch.rand(1)\nx = get_inputs()\n",
     "import torch\ndef get_inputs():\n    return torch.rand(1)\n"},
    {"random", "import torch\ndef get_inputs():\n    return torch.rand(1)\nf = globals()['get_inputs']\n",
     "import torch\ndef get_init_inputs():\n    return [torch.rand(1)]\n"},
    {"mode_sniff", "class A:\n    def f(self):\n        return self.training\n", "training = 1\nx = training\n"},
    {"environment", "from os import environ as e\nx = e['HOME']\n", "environ = {}\nx = environ['HOME']\n"},
    {"environment", "x = open('/proc/self/maps')\n", "x = 'in /proc there is much'\n"},
    {"device_query", "import torch\nif torch.cuda.get_device_name() == 'x':\n    pass\n",
     "import torch\nx = torch.device('cuda')\n"},
    {"files", "with open('x') as f:\n    pass\n", "def open(x):\n    pass\nopen('x')\n"},
    {"files", "import pathlib\n", "import os\nos.path.join('a', 'b')\n"},
    {"network", "import socket as s\ns.create_connection(x)\n", "socket = 1\n"},
    {"process_start", "import subprocess\n", "system = 1\nsystem + 1\n"},
    {"process_start", "import os\nos.fork()\n", "class os:\n    fork = 1\nos.fork\n"},
    {"descriptors", "import os\nos.dup2(1, 2)\n", "dup2 = 1\n"},
    {"process_settings", "import os as o\no.kill(1, 9)\n", "def kill(a, b):\n    pass\nkill(1, 9)\n"},
    {"exit", "import sys\nsys.exit(0)\n", "def f(exit):\n    exit(0)\n"},
    {"exit", "raise SystemExit(0)\n", "raise ValueError('SystemExit')\n"},
    {"writes_output", "print('speedup 10')\n", "def f(print):\n    print('x')\n"},
    {"ctypes", "import ctypes\n", "x = 'import ctypes'  # import ctypes\n"},
    {"dynamic_library", "from ctypes import CDLL\nCDLL('x')\n", "def CDLL(x):\n    pass\nCDLL('x')\n"},
    {"device_settings", "import torch\ntorch.cuda.set_device(1)\n", "import torch\ntorch.cuda.synchronize()\n"},
    {"inline_asm", "import triton.language as tl\nx = tl.inline_asm_elementwise('mov.u32 $0, 1;', '=r')\n",
     "x = 'inline_asm_elementwise'\n"},
    {"compiler_flags", "f(extra_cflags=['-fplugin=x.so'])\n", "f(extra_cflags=['-O2', '-std=c++17'])\n"},
};

class PythonRules : public testing::Test {
 protected:
  void SetUp() override {
    if (python().executable.empty()) GTEST_SKIP() << "no Python 3 here";
  }
};

TEST_F(PythonRules, EachHasWhatItNamesAndNotWhatLooksAlike) {
  for (const Case& one : k_cases) {
    EXPECT_TRUE(look(one.has).contains(one.rule)) << one.rule << " in\n" << one.has;
    EXPECT_FALSE(look(one.has_not).contains(one.rule)) << one.rule << " in\n" << one.has_not;
  }
}

TEST_F(PythonRules, LinesAreRight) {
  const auto lines = look(
      "import torch\n"
      "\n"
      "def f(x):\n"
      "    return (x\n"
      "            .half())\n"
      "CUDA = r'''\n"
      "#include <x.h>\n"
      "void f() { cudaStreamCreate(&s); }\n"
      "'''\n"
      "ONE_LINE = '#include <x.h>\\nvoid g() {\\n  usleep(3); }'\n"
      "PARTS = ('#include <x.h>\\n'  # a comment\n"
      "         'void h() {\\n'\n"
      "         '  dlopen(0, 0); }\\n')\n");
  EXPECT_EQ(lines.find("side_stream")->second, 8);
  EXPECT_EQ(lines.find("sleep")->second, 10);
  EXPECT_EQ(lines.find("dynamic_library")->second, 13);
  const auto half = lines.find("low_precision");
  ASSERT_NE(half, lines.end());
  EXPECT_EQ(half->second, 4);
}

TEST_F(PythonRules, SourceThatIsPutTogetherIsLookedAtAsAWhole) {
  const auto lines = look(
      "A = '#include <x.h>\\nvoid f() { cudaStream'\n"
      "B = 'Create(&s); }'\n"
      "SOURCE = A + B\n"
      "load_inline(cuda_sources=[SOURCE])\n");
  ASSERT_TRUE(lines.contains("side_stream"));
  EXPECT_EQ(lines.find("side_stream")->second, 1);
  EXPECT_TRUE(look("n = 4\ns = f'void f() {{ int x = {n}; fork(); }}'\n").contains("process_start"));
  EXPECT_TRUE(look("s = '\\n'.join(['void f() {', ' fork(); }'])\n").contains("process_start"));
  EXPECT_TRUE(look("from cupy import RawKernel\nRawKernel('fo' + 'rk();', 'f')\n").contains("process_start"));
}

TEST_F(PythonRules, DocstringsAreNoSourceUnlessTheyAreUsed) {
  EXPECT_FALSE(look("'''void f() { fork(); }'''\n").contains("process_start"));
  EXPECT_TRUE(look("'''void f() { fork(); }'''\nload_inline(cuda_sources=__doc__)\n").contains("process_start"));
}

TEST_F(PythonRules, AliasesAreFollowed) {
  for (const char* source : {"import torch as t\nt.cuda.Stream()\n",
                             "from torch import cuda as c\nc.Stream()\n",
                             "from torch.cuda import *\nStream()\n",
                             "import torch\nc = torch.cuda\nd = c\nd.Stream()\n",
                             "import torch\ngetattr(torch, 'cu' + 'da').Stream()\n",
                             "__import__('torch').cuda.Stream()\n",
                             "import importlib as i\ni.import_module('torch.cuda').Stream()\n",
                             "import sys\nsys.modules['torch'].cuda.Stream()\n",
                             "import torch\ngetattr(torch.cuda, 'maertS'[::-1])()\n",
                             "import torch\nglobals()['torch'].cuda.Stream()\n",
                             "import torch\ntorch.__dict__['cuda'].Stream()\n",
                             "import torch\nvars(torch)['cuda'].Stream()\n",
                             "import torch\ngetattr(torch.cuda, ''.join(map(chr, [83, 116, 114, 101, 97, 109])))()\n",
                             "import torch, base64\ngetattr(torch.cuda, base64.b64decode('U3RyZWFt').decode())()\n",
                             "import torch\na, b = torch.cuda, 1\na.Stream()\n",
                             "import torch\nif (c := torch.cuda):\n    c.Stream()\n",
                             "import torch\nfor c in (torch.cuda,):\n    c.Stream()\n",
                             "import torch\nclass A:\n    def __init__(self):\n        self.c = torch.cuda\n    def "
                             "f(self):\n        self.c.Stream()\n",
                             "import torch\nname = 'Stream'\ngetattr(torch.cuda, name)()\n",
                             "import torch\ngetattr(torch.cuda, f'{\"Str\"}eam')()\n"})
    EXPECT_TRUE(look(source).contains("side_stream")) << source;
}

TEST_F(PythonRules, NamesOfOtherScopesAreOthers) {
  EXPECT_FALSE(look("import torch\ndef f(torch):\n    torch.cuda.Stream()\n").contains("side_stream"));
  EXPECT_FALSE(
      look("def g():\n    import torch\ndef f(torch=None):\n    return torch.float16\n").contains("low_precision"));
  EXPECT_TRUE(look("import torch\nclass A:\n    torch = None\n    def f(self):\n        torch.cuda.Stream()\n")
                  .contains("side_stream"));
}

}  // namespace
}  // namespace kbv
