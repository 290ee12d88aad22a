// SPDX-License-Identifier: MIT
// How a GPU is doing, by NVML (libnvidia-ml.so.1, loaded at run time). It explains measurements; nothing depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kbv {

/// A process that has a compute context on the GPU. In a container the list may be empty, or tell the host's numbers.
struct GpuProcess {
  unsigned pid = 0;
  std::uint64_t memory_bytes = 0;  ///< 0 where the driver does not tell
};

/// A field is empty where the GPU or the driver does not tell it.
struct GpuHealth {
  std::string driver_version;  ///< "580.65.06"
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> max_sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<unsigned> temperature_c;
  std::optional<unsigned> power_mw;
  std::optional<unsigned> power_limit_mw;
  std::optional<unsigned> utilization_percent;  ///< share of the last sample period with a kernel running
  std::optional<bool> persistence_mode;         ///< off: the driver may unload between processes
  std::vector<std::string> throttle_reasons;  ///< why the clocks are not higher: "sw_power_cap", "hw_thermal_slowdown"
  std::vector<GpuProcess> processes;
};

/// `pci_bus_id` as in DeviceInfo. Fault machine, code "no_nvml", where NVML or that GPU can't be reached. The first
/// call takes some milliseconds, a later one about one. Any thread.
Result<GpuHealth> read_gpu_health(const std::string& pci_bus_id);

}  // namespace kbv
