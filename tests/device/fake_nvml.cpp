// SPDX-License-Identifier: MIT
// A stand-in for libnvidia-ml.so.1, beside fake_driver.cpp: one GPU, some of whose facts are not to be had.
#include <cstdio>
#include <cstring>

#include "device/nvml_functions.h"

using namespace kbv::nvml;

extern "C" {

#define KBV_DECLARE_FAKE(member, name, result, parameters) result name parameters;
KBV_NVML_FUNCTIONS(KBV_DECLARE_FAKE)

constexpr Status k_invalid_argument = 2;
constexpr Status k_not_supported = 3;
constexpr unsigned k_process_count = 70;  // more than the reader first makes room for

Status nvmlInit_v2() { return k_success; }
const char* nvmlErrorString(Status) { return "fake"; }
Status nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return std::snprintf(text, length, "580.65.06"), k_success;
}
Status nvmlDeviceGetHandleByPciBusId_v2(const char* pci_bus_id, Device* device) {
  if (std::strcmp(pci_bus_id, "0000:1B:00.0") != 0) return k_invalid_argument;
  return *device = reinterpret_cast<Device>(0x1000), k_success;
}
Status nvmlDeviceGetClockInfo(Device, int type, unsigned* mhz) {
  return *mhz = type == k_clock_sm ? 1755 : 3201, k_success;
}
Status nvmlDeviceGetMaxClockInfo(Device, int, unsigned* mhz) { return *mhz = 1980, k_success; }
Status nvmlDeviceGetTemperature(Device, int, unsigned* celsius) { return *celsius = 41, k_success; }
Status nvmlDeviceGetPowerUsage(Device, unsigned* milliwatts) { return *milliwatts = 123456, k_success; }
Status nvmlDeviceGetEnforcedPowerLimit(Device, unsigned*) { return k_not_supported; }
Status nvmlDeviceGetUtilizationRates(Device, Utilization* utilization) { return *utilization = {37, 5}, k_success; }
Status nvmlDeviceGetPersistenceMode(Device, int* enabled) { return *enabled = 1, k_success; }
Status nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* reasons) {
  return *reasons = 0x1 | 0x4 | 0x40, k_success;
}
Status nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned* count, ProcessInfo* processes) {
  const bool fits = *count >= k_process_count;
  *count = k_process_count;
  if (!fits) return k_insufficient_size;
  for (unsigned i = 0; i < k_process_count; ++i)
    processes[i] = {100 + i, i == 0 ? k_value_not_available : 1000ull + i, ~0u, ~0u};
  return k_success;
}

}  // extern "C"
