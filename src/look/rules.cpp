// SPDX-License-Identifier: MIT
#include "look/rules.h"

#include <algorithm>
#include <iterator>

namespace kbv {
namespace {

constexpr LookRule k_rules[] = {
    {"side_stream", "time", "uses a stream other than the current one",
     "work there may not be over when a clock that watches the current stream stops"},
    {"cuda_graph", "time", "records or replays CUDA graphs",
     "a graph may replay old pointers, or a sequence of calls that it has learned"},
    {"threads", "time", "starts threads, coroutines or host callbacks", "work may go on after the call has returned"},
    {"late_work", "time", "leaves work for later: at exit, in a finaliser, in a signal handler",
     "it runs when nobody looks any more"},
    {"clock", "time", "reads a clock or device events", "a kernel has no need of the time, unless it tunes itself"},
    {"timer_patch", "time", "assigns to a clock, an event or a synchronisation function",
     "a harness in the same process would be told a wrong time"},
    {"sleep", "time", "waits on purpose", "it can change clock rates, or hide which calls are slow"},
    {"call_count", "time", "counts its calls", "the first calls, which are checked, may be others than the later ones"},

    {"library_op", "work", "lets PyTorch or a vendor's library compute", "the work may not be done by its own kernel"},
    {"torch_compile", "work", "uses torch.compile or another compiler of whole models", "the kernels are not its own"},
    {"fallback", "work", "falls back to other code if something fails",
     "its own kernel may never run, and nobody sees the error"},
    {"reference_model", "work", "defines or uses a class Model",
     "it may be the reference once more, under another name"},

    {"low_precision", "precision", "computes or stores in float16, bfloat16 or float8",
     "less work than was asked for, if the problem is in float32"},
    {"tf32", "precision", "uses TF32, or switches it", "three digits less than float32 in products"},
    {"fast_math", "precision", "uses fast approximations", "functions with an error of their own, denormals lost"},
    {"random", "precision", "draws random numbers or seeds them",
     "results may differ from call to call, or be guessed"},

    {"identity_cache", "results", "asks whether a tensor is one that it knows",
     "by address, id or version: a result may be kept for inputs that only look the same"},
    {"result_cache", "results", "keeps values between calls", "an old result may be returned"},
    {"static_state", "results", "has static or global variables in native code",
     "a result may be kept where Python does not see it"},
    {"tensor_subclass", "results", "makes tensors of a class of its own",
     "the work may be put off until it is looked at"},
    {"object_patch", "results", "replaces methods or the class of an object",
     "it may answer otherwise than it computes"},
    {"raw_storage", "results", "handles the memory below tensors",
     "outputs may share memory with inputs, or with older outputs"},
    {"foreign_memory", "results", "asks the driver for memory that is not its own",
     "expected outputs and other inputs may be found there"},

    {"module_patch", "patches", "assigns to attributes of modules that it imports",
     "a check in the same process may be replaced so"},
    {"global_flags", "patches", "sets PyTorch's global flags", "a baseline in the same process would change as well"},
    {"code_object", "patches", "handles code objects or functions' insides",
     "a function can be replaced while its name stays"},
    {"hooks", "patches", "installs hooks for imports, calls or modules", "code of others runs through it"},
    {"torch_internals", "patches", "uses PyTorch's private parts", "what is private may switch checks off"},
    {"dynamic_code", "patches", "makes code at run time, or loads modules by computed names",
     "a look at the source does not see what runs"},
    {"built_name", "patches", "builds the names that it uses", "names that are searched for may be hidden so"},
    {"encoded_text", "patches", "decodes text from numbers or Base64", "source or names may be hidden so"},
    {"odd_characters", "patches", "holds characters that are not what they look like",
     "a person reads other source than the compiler does"},

    {"introspection", "surroundings", "looks at frames, live objects or loaded modules",
     "a harness in the same process could be read or changed"},
    {"harness_name", "surroundings", "names a benchmark or its functions", "it may know how it is judged"},
    {"mode_sniff", "surroundings", "asks in which mode it runs",
     "training, gradients, profilers or tracing may select another path"},
    {"environment", "surroundings", "reads the environment: variables, /proc, host, arguments",
     "it may know where, and by whom, it is run"},
    {"device_query", "surroundings", "asks which device it runs on", "tuning, or another path on the judge's device"},
    {"files", "surroundings", "opens files or folders", "results may be kept there, or answers found"},
    {"network", "surroundings", "uses sockets, or fetches from the network", "a kernel needs nobody's help"},
    {"process_start", "surroundings", "starts other programs or processes", "they may outlive the call"},
    {"descriptors", "surroundings", "handles file descriptors and pipes by number", "a harness may be talked to so"},
    {"process_settings", "surroundings", "sends signals, or changes priorities and limits",
     "the judge or its neighbours may be disturbed"},
    {"exit", "surroundings", "ends the process", "a harness that trusts an exit code would be told a lie"},
    {"writes_output", "surroundings", "writes to stdout, stderr or a terminal",
     "a line may look like a harness's own result"},

    {"ctypes", "native", "calls native code from Python by ctypes or cffi",
     "native code can change all of its process"},
    {"dynamic_library", "native", "loads libraries or looks up their symbols",
     "what is called does not stand in the source"},
    {"native_start", "native", "has native code that runs when it is loaded", "it runs before anything is called"},
    {"system_call", "native", "makes system calls, or changes the protection of memory",
     "the process may be rewritten from below"},
    {"inline_asm", "native", "holds inline assembly", "what it does is not seen in the language around it"},
    {"device_clock", "native", "reads clocks or sleeps on the device", "a kernel may wait, or know when it is timed"},
    {"device_settings", "native", "changes settings of the device or its context",
     "they stay for the calls that follow"},
    {"cache_control", "native", "asks that data stays in the L2 cache",
     "later calls would find what a cold call does not"},
    {"token_paste", "native", "builds identifiers with ##", "names that are searched for may be hidden so"},
    {"odd_include", "native", "includes files by absolute or computed paths",
     "text from elsewhere becomes part of the program"},
    {"compiler_flags", "native", "gives the compiler plugins, wrappers or files", "the build runs what the flags name"},
};

}  // namespace

std::span<const LookRule> look_rules() { return k_rules; }

const LookRule* find_look_rule(std::string_view id) {
  const auto* found =
      std::find_if(std::begin(k_rules), std::end(k_rules), [&](const auto& rule) { return rule.id == id; });
  return found == std::end(k_rules) ? nullptr : found;
}

}  // namespace kbv
