// SPDX-License-Identifier: MIT
#include "look/cuda_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace kbv {
namespace {

SourceLabels look(const std::string& text) {
  LabelCollector collector;
  EXPECT_TRUE(look_at_cuda({text, {}}, collector));
  EXPECT_EQ(collector.unknown_rules(), 0u);
  SourceLabels labels;
  collector.finish(labels);
  return labels;
}

bool has(const std::string& text, const std::string& rule) {
  for (const SourceLabel& label : look(text).labels)
    if (label.rule == rule) return true;
  return false;
}

struct Pair {
  const char *rule, *has, *has_not;
};

// For each rule a text that has it, and one that looks alike and has not.
const Pair k_pairs[] = {
    {"side_stream", "cudaStream_t s; cudaStreamCreate(&s);",
     "// cudaStreamCreate(&s)\nauto s = at::cuda::getCurrentCUDAStream();"},
    {"side_stream", "k<<<grid, block, 0, other>>>(x);",
     "auto s = at::cuda::getCurrentCUDAStream(); k<<<grid, block, 0, s>>>(x);"},
    {"side_stream", "k<<<g(1, 2), b, 0, pool[1]>>>(x);",
     "k<<<g(1, 2, 3, 4), b>>>(x); k<<<g, b, 0, c10::cuda::getCurrentCUDAStream()>>>(x);"},
    {"side_stream", "k<<<a, b, 4, mine.stream()>>>();",
     "void f(cudaStream_t s) { k<<<a, b, 4, s>>>(); k<<<a, b, 4, 0>>>(); }"},
    {"cuda_graph", "cudaGraphLaunch(e, s);", "printf(\"cudaGraphLaunch\");"},
    {"threads", "#include <thread>\nstd::thread t(f);", "int thread = threadIdx.x; x = thread(1).y;"},
    {"threads", "pthread_create(&t, 0, f, 0);", "/* pthread_create */ int n = threads(4);"},
    {"late_work", "std::atexit(f);", "int signal = 1; signal = f;"},
    {"clock", "cudaEventRecord(a); cudaEventElapsedTime(&ms, a, b);", "const char* s = \"cudaEventRecord\";"},
    {"clock", "auto t = std::chrono::steady_clock::now();", "int clock_rate = 5;"},
    {"sleep", "usleep(100);", "x.sleep(1); int select = 3;"},
    {"library_op", "auto y = at::matmul(a, b);",
     "auto y = at::empty({m, n}, a.options()); auto z = torch::zeros_like(y);"},
    {"library_op", "cublasSgemm(h);", "// cublasSgemm(h);"},
    {"library_op", "return x.softmax(1);", "struct relu_kernel; relu_kernel<<<1, 2>>>(x); matmul(x);"},
    {"library_op", "return torch::nn::functional::relu(x);", "using torch::Tensor; my::relu(x);"},
    {"low_precision", "__global__ void k(const half* x) {}",
     "const int half = n / 2; f(half * 3, half); a[i + half] = half * b;"},
    {"low_precision", "__nv_bfloat16 a = __float2bfloat16(x);", "float bf = 1; /* bfloat16 */"},
    {"low_precision", "auto y = x.to(at::kHalf);", "auto y = x.to(at::kFloat);"},
    {"tf32", "wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32> a;", "int tf32_count; // tf32"},
    {"tf32", "asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0};\");", "printf(\"mma.tf32\");"},
    {"fast_math", "y = __expf(x);", "y = expf(x);"},
    {"fast_math", "asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));", "float approx = 1, ftz = approx;"},
    {"random", "curandState s; curand_init(1, 2, 3, &s);", "int grand = 1; struct rand_t { int rand; };"},
    {"identity_cache", "if (x.data_ptr() == last) return kept;",
     "const float* p = x.data_ptr<float>(); if (n == 0) return;"},
    {"identity_cache", "auto it = cache.find(x.data_ptr());", "k<<<1, 2>>>(x.data_ptr<float>(), n);"},
    {"identity_cache", "cache[x.data_ptr()] = y;", "float v[2]; v[0] = 1; f(x.data_ptr());"},
    {"static_state", "static torch::Tensor kept;",
     "static inline float f(float x) { return x; } static constexpr int N = 3;"},
    {"static_state", "static float* kept = nullptr;", "static const int n = 3; y = static_cast<int>(x);"},
    {"static_state", "static std::unordered_map<void*, at::Tensor> cache;", "static __global__ void k(float* x) {}"},
    {"static_state", "__device__ float buffer[1 << 20];",
     "__device__ __forceinline__ float f(float x) { return x; } __device__ float g();"},
    {"static_state", "namespace n {\nat::Tensor kept;\n}",
     "at::Tensor f() { at::Tensor y; return y; } at::Tensor g(at::Tensor x);"},
    {"raw_storage", "auto y = torch::from_blob(p, {n});", "auto y = torch::empty({n}); // from_blob"},
    {"foreign_memory", "cudaIpcOpenMemHandle(&p, h, 0);", "cudaMalloc(&p, n);"},
    {"hooks", "TORCH_LIBRARY_IMPL(aten, CUDA, m) {}", "TORCH_LIBRARY(mine, m) {}"},
    {"code_object", "PyFrameObject* f;", "PyObject* f;"},
    {"module_patch", "PyObject_SetAttrString(m, \"x\", y);", "PyObject_GetAttrString(m, \"x\");"},
    {"dynamic_code", "PyRun_SimpleString(s);", "run(s);"},
    {"introspection", "PyEval_GetFrame();", "PyGILState_Ensure();"},
    {"mode_sniff", "if (at::GradMode::is_enabled()) f();", "if (grad) f();"},
    {"environment", "getenv(\"HOME\");", "printf(\"getenv\");"},
    {"environment", "read(\"/proc/self/maps\");", "read(\"proc\"); // /proc"},
    {"device_query", "cudaGetDeviceProperties(&p, 0);", "cudaGetLastError();"},
    {"files", "FILE* f = fopen(p, \"r\");", "// fopen\nvoid open(int x); x.open(); bool open = true;"},
    {"files", "#include <fstream>\nstd::ofstream f(\"x\");", "#include <sstream>\nstd::ostringstream f;"},
    {"network", "int s = socket(AF_INET, 1, 0);", "int socket = 1; x.connect(3);"},
    {"process_start", "system(\"ls\");", "int system = 1; x.system(2);"},
    {"process_start", "if (fork() == 0) f();", "int fork_count = fork + 1;"},
    {"descriptors", "dup2(1, 2);", "int pipe = 3; auto dup = x;"},
    {"process_settings", "kill(getppid(), 9);", "x.kill(1); bool kill = true;"},
    {"exit", "_exit(0);", "x.exit(1); int exit = 2;"},
    {"writes_output", "printf(\"speedup: 10\");", "snprintf(b, 3, \"printf\");"},
    {"dynamic_library", "void* f = dlsym(h, \"cudaMalloc\");", "// dlsym"},
    {"native_start", "__attribute__((constructor)) void start() {}", "struct A { int constructor; }; constructor(1);"},
    {"native_start", "[[gnu::constructor]] static void start() {}",
     "template <class constructor> void f(constructor x);"},
    {"system_call", "syscall(39); mprotect(p, n, 7);", "int mount = 1; x.mount(2);"},
    {"inline_asm", "asm volatile(\"bar.sync 0;\");", "int asm_count; // asm(\"\")"},
    {"device_clock", "long t = clock64();", "// clock64()\nlong clock64_value = 1;"},
    {"device_clock", "asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));",
     "const char* s = \"mov.u64 %0, %globaltimer;\";"},
    {"device_clock", "__nanosleep(100);", "int nano = 1;"},
    {"device_settings", "cudaSetDevice(1);", "cudaGetLastError();"},
    {"cache_control", "cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, n);", "cudaDeviceSynchronize();"},
    {"token_paste", "#define P(a, b) a##b\nP(cuda, StreamCreate)(&s);", "#define S(a) #a\n// a##b\nauto s = \"a##b\";"},
    {"odd_include", "#include \"/etc/passwd\"\n", "#include \"mine.h\"\n#include <cuda_runtime.h>\n"},
    {"odd_include", "#define H <stdio.h>\n#include H\n", "// #include H\n#include <sys/types.h>\n"},
    {"odd_include", "asm(\".incbin \\\"/etc/passwd\\\"\");", "asm(\"bar.sync 0;\");"},
};

TEST(CudaRules, EachHasWhatItNamesAndNotWhatLooksAlike) {
  for (const Pair& pair : k_pairs) {
    EXPECT_TRUE(has(pair.has, pair.rule)) << pair.rule << " in " << pair.has;
    EXPECT_FALSE(has(pair.has_not, pair.rule)) << pair.rule << " in " << pair.has_not;
  }
}

TEST(CudaRules, LinesAndColumnsAreThoseOfTheFile) {
  const std::string text = "\nint x;\n  cudaStreamCreate(&s);";
  LabelCollector collector;
  look_at_cuda({text, {{0, 10, 12}}}, collector);
  SourceLabels labels;
  collector.finish(labels);
  ASSERT_EQ(labels.labels.size(), 1u);
  EXPECT_EQ(labels.labels[0].line, 12);
  EXPECT_EQ(labels.labels[0].column, 3);
  EXPECT_EQ(labels.labels[0].detail, "cudaStreamCreate");
}

TEST(CudaRules, PlacesCountFromTheLastOneBefore) {
  const SourceText source{"ab\ncd;ef", {{0, 5, 3}, {6, 40, 9}}};
  const TextPlaces places(source);
  EXPECT_EQ(places.at(0).line, 5);
  EXPECT_EQ(places.at(1).column, 4);
  EXPECT_EQ(places.at(4).line, 6);
  EXPECT_EQ(places.at(4).column, 2);
  EXPECT_EQ(places.at(7).line, 40);
  EXPECT_EQ(places.at(7).column, 10);
  EXPECT_EQ(places.at(1000).line, 40);
}

TEST(CudaRules, AssemblyHasThePlaceOfItsOwnWords) {
  const auto labels = look("asm volatile(\n  \"mov.u64 %0, %globaltimer;\" : \"=l\"(t));");
  bool found = false;
  for (const SourceLabel& label : labels.labels)
    if (label.rule == "device_clock") {
      found = true;
      EXPECT_EQ(label.line, 2);
      EXPECT_EQ(label.column, 17);
    }
  EXPECT_TRUE(found);
}

TEST(CudaRules, NamesHiddenByContinuedLinesAreFound) { EXPECT_TRUE(has("cuda\\\nStreamCreate(&s);", "side_stream")); }

TEST(CudaRules, AnEndlessStatementTakesNoLongTime) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "x.data_ptr() half , static ";
  look(text);
}

}  // namespace
}  // namespace kbv
