// SPDX-License-Identifier: MIT
#include "device/nvml.h"

#include <gtest/gtest.h>

#include "device/device.h"

namespace kbv {
namespace {

TEST(Nvml, UnknownGpuIsAnErrorWithAReason) {
  const auto health = read_gpu_health("FFFF:FF:FF.F");
  ASSERT_FALSE(health);
  EXPECT_EQ(health.error().fault, Fault::machine);
  EXPECT_EQ(health.error().code, "no_nvml");
  EXPECT_FALSE(health.error().message.empty());
}

TEST(CudaDeviceNvml, TellsThePlausible) {
  const CudaProbe probe = probe_cuda();
  if (probe.devices.empty()) GTEST_SKIP() << probe.reason;
  const auto health = read_gpu_health(probe.devices[0].pci_bus_id);
  if (!health) GTEST_SKIP() << health.error().message;
  EXPECT_FALSE(health->driver_version.empty());
  ASSERT_TRUE(health->sm_clock_mhz);
  EXPECT_GT(*health->sm_clock_mhz, 100u);
  EXPECT_LT(*health->sm_clock_mhz, 5000u);
  if (health->temperature_c) EXPECT_LT(*health->temperature_c, 120u);
  if (health->utilization_percent) EXPECT_LE(*health->utilization_percent, 100u);
}

TEST(CudaDeviceNvml, EveryFieldIsReadFromItsFunction) {
  const CudaProbe probe = probe_cuda();
  if (probe.devices.empty() || probe.devices[0].name != "Fake GPU") GTEST_SKIP() << "for the fake NVML";
  const auto health = read_gpu_health(probe.devices[0].pci_bus_id);
  ASSERT_TRUE(health) << health.error().message;
  EXPECT_EQ(health->driver_version, "580.65.06");
  EXPECT_EQ(health->sm_clock_mhz, 1755u);
  EXPECT_EQ(health->max_sm_clock_mhz, 1980u);
  EXPECT_EQ(health->memory_clock_mhz, 3201u);
  EXPECT_EQ(health->temperature_c, 41u);
  EXPECT_EQ(health->power_mw, 123456u);
  EXPECT_EQ(health->power_limit_mw, std::nullopt);
  EXPECT_EQ(health->utilization_percent, 37u);
  EXPECT_EQ(health->persistence_mode, true);
  EXPECT_EQ(health->throttle_reasons, (std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"}));
  ASSERT_EQ(health->processes.size(), 70u);
  EXPECT_EQ(health->processes[0].pid, 100u);
  EXPECT_EQ(health->processes[0].memory_bytes, 0u);
  EXPECT_EQ(health->processes[69].memory_bytes, 1069u);
}

}  // namespace
}  // namespace kbv
