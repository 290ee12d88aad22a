// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "device/device.h"

namespace kbv {
namespace {

TEST(CudaProbe, NamesDevicesOrTheReasonThatThereIsNone) {
  const CudaProbe probe = probe_cuda();
  if (probe.devices.empty()) {
    EXPECT_GT(probe.reason.size(), 20u) << probe.reason;
    EXPECT_EQ(probe.reason.find('\n'), std::string::npos);
  } else {
    EXPECT_EQ(probe.reason, "");
    for (std::size_t i = 0; i < probe.devices.size(); ++i) {
      EXPECT_EQ(probe.devices[i].index, static_cast<int>(i));
      EXPECT_EQ(probe.devices[i].backend, "cuda");
      EXPECT_FALSE(probe.devices[i].name.empty());
    }
  }
}

TEST(CudaProbe, NoSuchDeviceIsNoGpu) {
  for (const int index : {-1, 1000}) {
    const auto device = open_cuda_device(index);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().fault, Fault::machine);
    EXPECT_EQ(device.error().code, "no_gpu");
    EXPECT_FALSE(device.error().message.empty());
  }
}

TEST(CudaProbe, NodesExistAndAreNamedOnce) {
  const auto nodes = cuda_device_nodes();
  for (const std::string& node : nodes) {
    EXPECT_TRUE(std::filesystem::exists(node)) << node;
    EXPECT_EQ(std::count(nodes.begin(), nodes.end(), node), 1) << node;
  }
  if (!probe_cuda().devices.empty()) EXPECT_FALSE(nodes.empty());
}

}  // namespace
}  // namespace kbv
