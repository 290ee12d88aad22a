// SPDX-License-Identifier: MIT
// The part of NVML that nvml.cpp uses, declared here as cuda_driver.h does for the driver API. The versioned names have
// been there since driver 510 and keep their layouts.
#pragma once

struct nvmlDevice_st;

namespace kbv::nvml {

using Status = int;  ///< nvmlReturn_t
using Device = nvmlDevice_st*;

inline constexpr Status k_success = 0;
inline constexpr Status k_insufficient_size = 7;
inline constexpr int k_clock_sm = 1;
inline constexpr int k_clock_memory = 2;
inline constexpr int k_temperature_gpu = 0;
inline constexpr unsigned long long k_value_not_available = ~0ull;

struct Utilization {  ///< nvmlUtilization_t
  unsigned gpu;
  unsigned memory;
};

struct ProcessInfo {  ///< nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_gpu_memory;
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};
static_assert(sizeof(ProcessInfo) == 24);

// X(member, name, return type, parameters)
#define KBV_NVML_FUNCTIONS(X)                                                                                          \
  X(init, nvmlInit_v2, Status, ())                                                                                     \
  X(error_string, nvmlErrorString, const char*, (Status error))                                                        \
  X(driver_version, nvmlSystemGetDriverVersion, Status, (char* text, unsigned length))                                 \
  X(device_by_pci_bus_id, nvmlDeviceGetHandleByPciBusId_v2, Status, (const char* pci_bus_id, Device* device))          \
  X(clock, nvmlDeviceGetClockInfo, Status, (Device device, int type, unsigned* mhz))                                   \
  X(max_clock, nvmlDeviceGetMaxClockInfo, Status, (Device device, int type, unsigned* mhz))                            \
  X(temperature, nvmlDeviceGetTemperature, Status, (Device device, int sensor, unsigned* celsius))                     \
  X(power, nvmlDeviceGetPowerUsage, Status, (Device device, unsigned* milliwatts))                                     \
  X(power_limit, nvmlDeviceGetEnforcedPowerLimit, Status, (Device device, unsigned* milliwatts))                       \
  X(utilization, nvmlDeviceGetUtilizationRates, Status, (Device device, Utilization * utilization))                    \
  X(persistence_mode, nvmlDeviceGetPersistenceMode, Status, (Device device, int* enabled))                             \
  X(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons, Status, (Device device, unsigned long long* reasons)) \
  X(processes, nvmlDeviceGetComputeRunningProcesses_v3, Status,                                                        \
    (Device device, unsigned* count, ProcessInfo* processes))

struct Api {
#define KBV_DECLARE(member, name, result, parameters) result(*member) parameters = nullptr;
  KBV_NVML_FUNCTIONS(KBV_DECLARE)
#undef KBV_DECLARE
};

}  // namespace kbv::nvml
