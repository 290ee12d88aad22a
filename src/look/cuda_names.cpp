// SPDX-License-Identifier: MIT
#include "look/cuda_names.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace kbv {
namespace {

using Names = std::set<std::string_view>;

const std::map<std::string_view, Names>& exact_names() {
  static const std::map<std::string_view, Names> names{
      {"side_stream",
       {"cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cuStreamCreate",
        "cuStreamCreateWithPriority", "getStreamFromPool", "getStreamFromExternal", "CUDAStreamGuard",
        "CUDAMultiStreamGuard", "setCurrentCUDAStream", "cudaStreamWaitEvent", "cudaStreamPerThread"}},
      {"threads",
       {"thread", "jthread", "async", "pthread_create", "omp_set_nested", "cudaLaunchHostFunc", "cudaStreamAddCallback",
        "cuLaunchHostFunc", "cuStreamAddCallback", "thrd_create", "condition_variable"}},
      {"late_work",
       {"atexit", "on_exit", "at_quick_exit", "signal", "sigaction", "setitimer", "timer_create", "alarm"}},
      {"clock",
       {"cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventRecord", "cudaEventElapsedTime", "cudaEventQuery",
        "cuEventRecord", "cuEventElapsedTime", "CUDAEvent", "clock_gettime", "gettimeofday", "steady_clock",
        "high_resolution_clock", "system_clock", "rdtsc", "__rdtsc", "__rdtscp", "omp_get_wtime"}},
      {"sleep", {"sleep", "usleep", "nanosleep", "sleep_for", "sleep_until", "clock_nanosleep", "select", "ppoll"}},
      {"low_precision", {"__half",       "__half2",      "half2",     "half_t",   "bfloat16_t",
                         "__float2half", "__half2float", "float16_t", "Half",     "BFloat16",
                         "kHalf",        "kBFloat16",    "kFloat16",  "f16",      "f16x2",
                         "bf16",         "bf16x2",       "e4m3",      "e5m2",     "e4m3x2",
                         "e5m2x2",       "bfloat16",     "_Float16",  "autocast", "set_autocast_enabled"}},
      {"tf32",
       {"tf32", "__float_to_tf32", "wmma_tf32", "allowTF32CuBLAS", "setAllowTF32CuBLAS", "setAllowTF32CuDNN",
        "tfloat32_t", "CUBLAS_COMPUTE_32F_FAST_TF32", "CUBLAS_TF32_TENSOR_OP_MATH", "setFloat32MatmulPrecision"}},
      {"fast_math",
       {"__expf", "__logf", "__log2f", "__log10f", "__sinf", "__cosf", "__tanf", "__powf", "__sincosf", "__fdividef",
        "__exp10f", "__tanhf", "__frcp_rn", "__saturatef", "approx", "ftz", "__frsqrt_rn"}},
      {"random",
       {"rand", "srand", "drand48", "random_device", "mt19937", "mt19937_64", "getrandom", "default_random_engine"}},
      {"identity_cache", {"unsafeGetTensorImpl", "is_same", "is_alias_of", "_version", "current_version"}},
      {"raw_storage",
       {"from_blob", "set_data", "unsafe_storage", "StorageImpl", "unsafeGetStorageImpl", "unsafeReleaseTensorImpl",
        "set_storage_keep_dtype", "resize_", "as_strided"}},
      {"tensor_subclass", {"OpaqueTensorImpl"}},
      {"foreign_memory",
       {"cudaPointerGetAttributes", "cuPointerGetAttribute", "cuPointerGetAttributes", "cuMemGetAddressRange",
        "cuMemGetAddressRange_v2", "cudaIpcOpenMemHandle", "cudaIpcGetMemHandle", "cuIpcOpenMemHandle",
        "cuIpcGetMemHandle", "cuMemImportFromShareableHandle", "cuMemExportToShareableHandle",
        "cudaImportExternalMemory", "process_vm_readv", "process_vm_writev", "cuMemRetainAllocationHandle",
        "cudaHostRegister"}},
      {"hooks",
       {"TORCH_LIBRARY_IMPL", "registerHook", "addGlobalCallback", "PyEval_SetProfile", "PyEval_SetTrace", "LD_PRELOAD",
        "__malloc_hook"}},
      {"code_object", {"PyCodeObject", "PyFrameObject", "PyFunction_New", "PyFunction_SetDefaults"}},
      {"module_patch",
       {"PyObject_SetAttrString", "PyObject_SetAttr", "PyModule_AddObject", "PyDict_SetItemString", "setattr"}},
      {"dynamic_code",
       {"PyRun_SimpleString", "PyRun_String", "PyEval_EvalCode", "PyImport_ImportModule", "Py_CompileString",
        "nvrtcCompileProgram", "nvrtcCreateProgram"}},
      {"introspection",
       {"PyEval_GetFrame", "PyImport_GetModuleDict", "PyGC_Collect", "dl_iterate_phdr", "backtrace", "PySys_GetObject",
        "PyThreadState_Get"}},
      {"mode_sniff",
       {"is_grad_enabled", "GradMode", "InferenceMode", "profilerEnabled", "cudaStreamIsCapturing",
        "cudaStreamGetCaptureInfo"}},
      {"environment",
       {"getenv", "secure_getenv", "setenv", "putenv", "unsetenv", "environ", "gethostname", "uname", "getpid",
        "getppid", "sysconf", "getauxval", "program_invocation_name", "getlogin"}},
      {"device_query",
       {"cudaGetDeviceProperties", "cudaGetDeviceProperties_v2", "cudaDeviceGetAttribute", "cuDeviceGetAttribute",
        "cuDeviceGetName", "cudaGetDevice", "cudaGetDeviceCount", "getCurrentDeviceProperties", "getDeviceProperties",
        "cudaMemGetInfo", "cudaDriverGetVersion", "cuDeviceGetUuid"}},
      {"files",
       {"fopen", "open", "openat", "creat", "ifstream", "ofstream", "fstream", "opendir", "readdir", "mkstemp",
        "tmpfile", "mmap", "shm_open", "unlink", "rename", "readlink", "stat", "directory_iterator", "memfd_create"}},
      {"network", {"socket", "connect", "sendto", "recvfrom", "getaddrinfo", "inet_pton", "curl_easy_init"}},
      {"process_start",
       {"fork", "vfork", "system", "popen", "execv", "execve", "execvp", "execl", "execlp", "posix_spawn",
        "posix_spawnp", "clone", "clone3", "daemon", "setsid"}},
      {"descriptors", {"dup", "dup2", "dup3", "pipe", "pipe2", "fcntl", "socketpair", "sendmsg", "recvmsg"}},
      {"process_settings",
       {"kill", "raise", "setpriority", "nice", "setrlimit", "sched_setaffinity", "sched_setscheduler", "prlimit",
        "pthread_kill", "tgkill", "killpg"}},
      {"exit",
       {"exit", "_exit", "_Exit", "quick_exit", "abort", "terminate", "__builtin_trap", "__trap", "Py_Exit",
        "Py_FatalError"}},
      {"writes_output", {"printf", "fprintf", "puts", "putchar", "cout", "cerr", "perror", "vprintf", "dprintf"}},
      {"dynamic_library",
       {"dlopen", "dlsym", "dlvsym", "dlmopen", "dlinfo", "cuGetProcAddress", "cudaGetDriverEntryPoint", "cuModuleLoad",
        "cuModuleLoadData", "cuModuleLoadDataEx", "cuLibraryLoadData", "cuLibraryLoadFromFile"}},
      {"system_call",
       {"syscall",        "ptrace",      "prctl",   "mprotect",    "mremap",          "pkey_mprotect", "seccomp",
        "io_uring_setup", "userfaultfd", "bpf",     "pidfd_getfd", "pidfd_open",      "unshare",       "setns",
        "mount",          "umount",      "umount2", "keyctl",      "perf_event_open", "chroot"}},
      {"device_clock",
       {"clock", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "wall_clock64", "__nanosleep", "__clock",
        "__clock64"}},
      {"device_settings",
       {"cudaSetDevice", "cudaDeviceReset", "cudaDeviceSetLimit", "cudaSetDeviceFlags", "cuCtxCreate", "cuCtxDestroy",
        "cuCtxSetCurrent", "cuCtxPushCurrent", "cuCtxSetLimit", "cudaDeviceSetCacheConfig",
        "cudaDeviceSetSharedMemConfig", "cudaDeviceSetMemPool", "cudaMemPoolSetAttribute", "cudaDeviceEnablePeerAccess",
        "cuDevicePrimaryCtxReset", "CUDAGuard", "set_device"}},
      {"cache_control",
       {"cudaLimitPersistingL2CacheSize", "cudaAccessPolicyWindow", "accessPolicyWindow",
        "cudaStreamAttributeAccessPolicyWindow", "cudaLaunchAttributeAccessPolicyWindow",
        "cudaAccessPropertyPersisting", "hitProp", "cudaCtxResetPersistingL2Cache", "createpolicy", "evict_last",
        "cudaStreamSetAttribute", "cuCtxResetPersistingL2Cache", "CU_LIMIT_PERSISTING_L2_CACHE_SIZE", "access_property",
        "applypriority"}},
  };
  return names;
}

struct Prefix {
  std::string_view prefix, rule;
};
constexpr Prefix k_prefixes[] = {
    {"cudaGraph", "cuda_graph"},
    {"cuGraph", "cuda_graph"},
    {"cudaStreamBeginCapture", "cuda_graph"},
    {"cudaStreamEndCapture", "cuda_graph"},
    {"cublas", "library_op"},
    {"cudnn", "library_op"},
    {"cufft", "library_op"},
    {"cusparse", "library_op"},
    {"cusolver", "library_op"},
    {"cutensor", "library_op"},
    {"miopen", "library_op"},
    {"rocblas", "library_op"},
    {"cblas_", "library_op"},
    {"mkldnn_", "library_op"},
    {"dnnl_", "library_op"},
    {"__nv_bfloat", "low_precision"},
    {"nv_bfloat", "low_precision"},
    {"__nv_fp8", "low_precision"},
    {"__nv_fp6", "low_precision"},
    {"__nv_fp4", "low_precision"},
    {"__float2half", "low_precision"},
    {"__float22half", "low_precision"},
    {"__floats2half", "low_precision"},
    {"__half", "low_precision"},
    {"__float2bfloat", "low_precision"},
    {"__floats2bfloat", "low_precision"},
    {"__bfloat16", "low_precision"},
    {"__h2div", "low_precision"},
    {"Float8_", "low_precision"},
    {"kFloat8", "low_precision"},
    {"float_e4m3", "low_precision"},
    {"float_e5m2", "low_precision"},
    {"curand", "random"},
    {"CUBLAS_COMPUTE_32F_FAST", "tf32"},
    {"nvml", "device_query"},
    {"nvtx", "writes_output"},
    {"cupti", "introspection"},
    {"Cupti", "introspection"},
    {"__sys_", "system_call"},
};

const std::map<std::string_view, std::string_view>& rules_by_name() {
  static const auto all = [] {
    std::map<std::string_view, std::string_view> rules;
    for (const auto& [rule, names] : exact_names())
      for (const auto name : names) rules.emplace(name, rule);
    return rules;
  }();
  return all;
}

}  // namespace

std::string_view rule_of_cuda_name(std::string_view name) {
  if (const auto found = rules_by_name().find(name); found != rules_by_name().end()) return found->second;
  const auto* prefix = std::find_if(std::begin(k_prefixes), std::end(k_prefixes),
                                    [&](const Prefix& one) { return name.starts_with(one.prefix); });
  return prefix == std::end(k_prefixes) ? std::string_view() : prefix->rule;
}

std::vector<std::string_view> rules_of_cuda_names() {
  std::vector<std::string_view> rules;
  for (const auto& [rule, names] : exact_names()) rules.push_back(rule);
  for (const Prefix& prefix : k_prefixes) rules.push_back(prefix.rule);
  return rules;
}

bool is_tensor_operation(std::string_view name) {
  static const Names names{"matmul", "mm",        "bmm",         "addmm",  "baddbmm",     "addmv",
                           "mv",     "softmax",   "log_softmax", "relu",   "relu_",       "sigmoid",
                           "tanh_",  "clamp_min", "layer_norm",  "cumsum", "cumprod",     "argmax",
                           "argmin", "logsumexp", "conv2d",      "topk",   "index_select"};
  return names.contains(name);
}

bool is_library_operation(std::string_view name) {
  static const Names names{"add",
                           "sub",
                           "mul",
                           "div",
                           "exp",
                           "log",
                           "sqrt",
                           "rsqrt",
                           "abs",
                           "sum",
                           "mean",
                           "var",
                           "std",
                           "max",
                           "min",
                           "amax",
                           "amin",
                           "norm",
                           "erf",
                           "tanh",
                           "where",
                           "clamp",
                           "pow",
                           "sort",
                           "cat",
                           "stack",
                           "einsum",
                           "dot",
                           "linear",
                           "conv1d",
                           "conv3d",
                           "convolution",
                           "conv_transpose1d",
                           "conv_transpose2d",
                           "conv_transpose3d",
                           "batch_norm",
                           "group_norm",
                           "instance_norm",
                           "native_layer_norm",
                           "gelu",
                           "silu",
                           "mish",
                           "leaky_relu",
                           "elu",
                           "hardtanh",
                           "softplus",
                           "max_pool1d",
                           "max_pool2d",
                           "max_pool3d",
                           "avg_pool1d",
                           "avg_pool2d",
                           "avg_pool3d",
                           "adaptive_avg_pool2d",
                           "cross_entropy",
                           "cross_entropy_loss",
                           "nll_loss",
                           "mse_loss",
                           "embedding",
                           "scaled_dot_product_attention",
                           "lstm",
                           "gru",
                           "outer",
                           "tril",
                           "triu",
                           "gather",
                           "scatter",
                           "prod",
                           "square",
                           "subtract",
                           "multiply",
                           "divide",
                           "_softmax",
                           "_scaled_mm",
                           "cdist",
                           "cosine_similarity",
                           "cumulative_trapezoid",
                           "rms_norm",
                           "hinge_embedding_loss",
                           "interpolate"};
  return names.contains(name) || is_tensor_operation(name);
}

}  // namespace kbv
