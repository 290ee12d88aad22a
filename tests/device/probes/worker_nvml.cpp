// SPDX-License-Identifier: MIT
// What NVML tells a candidate. Only calls that read: nothing of the device's settings is touched.
#include <dlfcn.h>

#include "base/clock.h"
#include "device/nvml_functions.h"
#include "worker.h"

namespace kbv::cuda::probes {

json do_nvml(const json& command) {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {{"load", "libnvidia-ml.so.1 can't be loaded"}};
  nvml::Api api;
  json answer;
#define KBV_LOOK_UP(member, name, result, parameters)                           \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, #name)); \
  if (api.member == nullptr) return {{"load", "no " #name}};
  KBV_NVML_FUNCTIONS(KBV_LOOK_UP)
#undef KBV_LOOK_UP
  const auto begun = Clock::now();
  json& calls = answer["calls"] = json::object();
  calls["init"] = api.init();
  answer["init_ms"] = seconds_since(begun) * 1e3;
  if (calls["init"] != 0) return answer;
  nvml::Device device = nullptr;
  const std::string bus = command.at("bus");
  calls["device_by_pci_bus_id"] = api.device_by_pci_bus_id(bus.c_str(), &device);
  if (calls["device_by_pci_bus_id"] != 0) return answer;
  char text[96] = {};
  unsigned value = 0;
  int enabled = 0;
  unsigned long long reasons = 0;
  nvml::Utilization utilization{};
  calls["driver_version"] = api.driver_version(text, sizeof text);
  calls["clock"] = api.clock(device, nvml::k_clock_sm, &value);
  calls["max_clock"] = api.max_clock(device, nvml::k_clock_sm, &value);
  calls["temperature"] = api.temperature(device, nvml::k_temperature_gpu, &value);
  calls["power"] = api.power(device, &value);
  calls["power_limit"] = api.power_limit(device, &value);
  calls["utilization"] = api.utilization(device, &utilization);
  calls["persistence_mode"] = api.persistence_mode(device, &enabled);
  calls["throttle_reasons"] = api.throttle_reasons(device, &reasons);
  std::vector<nvml::ProcessInfo> processes(256);
  unsigned count = 256;
  calls["processes"] = api.processes(device, &count, processes.data());
  json& pids = answer["pids"] = json::array();
  if (calls["processes"] == 0)
    for (unsigned i = 0; i < count && i < 256; ++i) pids.push_back(processes[i].pid);
  return answer;
}

}  // namespace kbv::cuda::probes
