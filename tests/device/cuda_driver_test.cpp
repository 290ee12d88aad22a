// SPDX-License-Identifier: MIT
#include "device/cuda_driver.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kbv::cuda {
namespace {

TEST(CudaDriver, LoadsOrSaysWhyNot) {
  const auto api = driver();
  if (!api) {
    EXPECT_EQ(api.error().fault, Fault::machine);
    EXPECT_EQ(api.error().code, "no_gpu");
    EXPECT_NE(api.error().message.find("NVIDIA driver"), std::string::npos) << api.error().message;
    GTEST_SKIP() << api.error().message;
  }
#define KBV_EXPECT_FOUND(member, name, version, parameters) EXPECT_NE((*api)->member, nullptr) << #name;
  KBV_CUDA_FUNCTIONS(KBV_EXPECT_FOUND)
#undef KBV_EXPECT_FOUND
  EXPECT_STREQ(std::getenv("CUDA_CACHE_DISABLE"), "1") << "compiled kernels must not come from a folder of the user's";
}

TEST(CudaDriver, ErrorsHaveStableCodesAndTheDriversText) {
  const Api none;  // as where the driver is too old to have cuGetErrorString
  EXPECT_EQ(fail_cuda(none, 2, "cuMemCreate").value().code, "device_memory");
  EXPECT_EQ(fail_cuda(none, 100, "cuInit").value().code, "no_gpu");
  EXPECT_EQ(fail_cuda(none, 700, "cuStreamSynchronize").value().code, "device_lost");
  EXPECT_EQ(fail_cuda(none, 1, "cuMemMap").value().code, "cuda");
  EXPECT_EQ(fail_cuda(none, 1, "cuMemMap").value().message, "cuMemMap: CUDA error 1");
  const auto api = driver();
  if (!api) GTEST_SKIP() << api.error().message;
  EXPECT_EQ(error_text(**api, 2), "out of memory (CUDA error 2)");
  EXPECT_EQ(error_text(**api, 123456), "CUDA error 123456");
}

}  // namespace
}  // namespace kbv::cuda
