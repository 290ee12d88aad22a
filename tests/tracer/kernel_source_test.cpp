// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tracer/provenance.h"

namespace kbv {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(KernelNamesInSource, CudaInAPythonString) {
  const std::string source = R"(
import torch
cuda_source = """
#include <torch/extension.h>
__global__ void relu_kernel(const float* x, float* y, int n) { }
template <typename T>
__global__ void __launch_bounds__(256, 2) scaled(T* x) { }
extern "C" __global__ __launch_bounds__(128) void plain(int* x);
void __global__ turned(float* x) {}
static __global__
void
split_over_lines (float* x) {}
__global__ void special<float>(float* x) {}
torch::Tensor relu(torch::Tensor x) { relu_kernel<<<1, 2>>>(x); return x; }
"""
)";
  EXPECT_THAT(kernel_names_in_source(source),
              ElementsAre("relu_kernel", "scaled", "plain", "turned", "split_over_lines", "special"));
  EXPECT_THAT(triton_names_in_source(source), IsEmpty());
}

TEST(KernelNamesInSource, TritonUnderItsDecorators) {
  const std::string source = R"(
import triton
import triton.language as tl

@triton.jit
def add_kernel(x, y, n: tl.constexpr):
    pass

@triton.autotune(
    configs=[
        triton.Config({'BLOCK': 128}),
    ],
    key=['n'],
)
@triton.jit
def tuned_kernel(x):
    pass

def helper(x):
    return add_kernel

class Model:
    @staticmethod
    def forward(x):
        pass
    @triton.jit
    def inner(x): pass
)";
  EXPECT_THAT(kernel_names_in_source(source), ElementsAre("add_kernel", "tuned_kernel", "inner"));
  EXPECT_THAT(triton_names_in_source(source), ElementsAre("add_kernel", "tuned_kernel", "inner"));
}

TEST(KernelNamesInSource, NotWhatOnlyLooksLikeOne) {
  EXPECT_THAT(kernel_names_in_source("// __global__ void old(int)\n# __global__ void older(int)\n"
                                     " * __global__ void oldest(int)\n"
                                     "int my__global__ = 1; __global__x void a();\n"
                                     "__global__ functions (see below);\n"
                                     "__global__ void\n"),
              IsEmpty());
  EXPECT_THAT(kernel_names_in_source("import numba\n@jit\ndef f(x): pass\n"), IsEmpty());
  EXPECT_THAT(kernel_names_in_source("import triton\n@triton.jitter\ndef f(x): pass\n"), IsEmpty());
  EXPECT_THAT(kernel_names_in_source(""), IsEmpty());
  EXPECT_THAT(kernel_names_in_source("__global__"), IsEmpty());
}

TEST(KernelNamesInSource, EachNameOnce) {
  EXPECT_THAT(kernel_names_in_source("__global__ void k(int);\n__global__ void k(int) {}\n"), ElementsAre("k"));
}

TEST(KernelNamesInSource, Bounded) {
  std::string source = "__global__ void " + std::string(5000, 'x') + "(int);\n";
  for (int i = 0; i < 2000; ++i) source += "__global__ void k" + std::to_string(i) + "(int);\n";
  EXPECT_EQ(kernel_names_in_source(source).size(), 256u);
}

TEST(KernelNamesInSource, HostileTextTakesLinearTime) {
  const auto seconds_for = [](std::size_t bytes) {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string part : {"__global__ ", "__global__ (", "__global__ void ", "@triton.jit\n", "(", "a", "\n",
                                   "__global__\n(void ", "__global__ void k(", "//__global__"}) {
      std::string source = "triton ";
      while (source.size() < bytes) source += part;
      kernel_names_in_source(source);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // 8 times as much text: 8 times as long, where quadratic time would be 64 times.
  const double less = seconds_for(256u << 10), more = seconds_for(2u << 20);
  EXPECT_LT(more, 30 * less + 0.05);
}

}  // namespace
}  // namespace kbv
