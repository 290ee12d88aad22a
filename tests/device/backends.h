// SPDX-License-Identifier: MIT
// Tests that run on each backend: derive from BackendTest, use TEST_P, and KBV_ON_EACH_BACKEND(Suite).
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace kbv::test {

/// The device of a backend, opened once a process (a CUDA context takes a while) and never closed; null, with the
/// reason, where there is none.
inline Device* shared_device(const std::string& backend, std::string& reason) {
  if (backend == "host") {
    static Device* const host = open_host_device().value().release();
    return host;
  }
  static std::string problem;
  static Device* const cuda = [] {
    auto opened = open_cuda_device(0);
    if (!opened) problem = opened.error().message;
    return opened ? opened->release() : nullptr;
  }();
  reason = problem;
  return cuda;
}

class BackendTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string reason;
    device_ = shared_device(GetParam(), reason);
    if (device_ == nullptr) GTEST_SKIP() << reason;
  }

  Device& device() { return *device_; }

  std::unique_ptr<Buffer> allocate(std::uint64_t bytes) {
    auto buffer = device_->allocate_private(bytes);
    if (!buffer) ADD_FAILURE() << buffer.error().message;
    return buffer ? std::move(*buffer) : nullptr;
  }

  template <typename T>
  std::unique_ptr<Buffer> upload(const std::vector<T>& values) {
    auto buffer = allocate(values.size() * sizeof(T));
    if (buffer) EXPECT_TRUE(device_->write(*buffer, 0, values.data(), values.size() * sizeof(T)));
    return buffer;
  }

  std::vector<unsigned char> download(const Buffer& buffer) {
    std::vector<unsigned char> bytes(buffer.bytes());
    EXPECT_TRUE(device_->read(bytes.data(), buffer, 0, bytes.size()));
    return bytes;
  }

 private:
  Device* device_ = nullptr;
};

#define KBV_ON_EACH_BACKEND(Suite)                                       \
  INSTANTIATE_TEST_SUITE_P(On, Suite, ::testing::Values("host", "cuda"), \
                           [](const auto& param_info) { return param_info.param; })

}  // namespace kbv::test
