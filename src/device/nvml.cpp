// SPDX-License-Identifier: MIT
#include "device/nvml.h"

#include <dlfcn.h>

#include "device/nvml_functions.h"

namespace kbv {
namespace {

struct Loaded {
  nvml::Api api;
  std::string problem;  ///< empty where NVML is usable
};

Loaded load() {
  Loaded loaded;
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
  if (library == nullptr) {
    const char* reason = ::dlerror();
    loaded.problem = reason != nullptr ? reason : "libnvidia-ml.so.1 not found";
    return loaded;
  }
  // A function that this NVML lacks stays null, and its field stays empty.
#define KBV_LOOK_UP(member, name, result, parameters) \
  loaded.api.member = reinterpret_cast<decltype(loaded.api.member)>(::dlsym(library, #name));
  KBV_NVML_FUNCTIONS(KBV_LOOK_UP)
#undef KBV_LOOK_UP
  if (loaded.api.init == nullptr || loaded.api.device_by_pci_bus_id == nullptr) {
    loaded.problem = "libnvidia-ml.so.1 is too old";
  } else if (const nvml::Status status = loaded.api.init(); status != nvml::k_success) {
    const char* text = loaded.api.error_string != nullptr ? loaded.api.error_string(status) : nullptr;
    loaded.problem = std::string("NVML does not start: ") + (text != nullptr ? text : std::to_string(status));
  }
  return loaded;
}

/// The value that `function` writes after the arguments given, where it is there and succeeds.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> ask(Function function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != nvml::k_success) return std::nullopt;
  return value;
}

std::vector<std::string> names_of_reasons(unsigned long long bits) {
  // gpu_idle (1) is no reason to distrust a measurement and is left out.
  static constexpr struct {
    unsigned long long bit;
    const char* name;
  } reasons[] = {{0x2, "application_clocks"}, {0x4, "sw_power_cap"},         {0x8, "hw_slowdown"},
                 {0x10, "sync_boost"},        {0x20, "sw_thermal_slowdown"}, {0x40, "hw_thermal_slowdown"},
                 {0x80, "hw_power_brake"},    {0x100, "display_clocks"}};
  std::vector<std::string> names;
  for (const auto& reason : reasons)
    if ((bits & reason.bit) != 0) names.emplace_back(reason.name);
  return names;
}

std::vector<GpuProcess> processes_on(const nvml::Api& api, nvml::Device device) {
  std::vector<GpuProcess> processes;
  if (api.processes == nullptr) return processes;
  std::vector<nvml::ProcessInfo> infos(64);
  auto count = static_cast<unsigned>(infos.size());
  nvml::Status status = api.processes(device, &count, infos.data());
  if (status == nvml::k_insufficient_size) {
    infos.resize(count + 64);  // room for those that start meanwhile
    count = static_cast<unsigned>(infos.size());
    status = api.processes(device, &count, infos.data());
  }
  if (status != nvml::k_success) return processes;
  for (unsigned i = 0; i < count && i < infos.size(); ++i) {
    const bool known = infos[i].used_gpu_memory != nvml::k_value_not_available;
    processes.push_back({infos[i].pid, known ? infos[i].used_gpu_memory : 0});
  }
  return processes;
}

}  // namespace

Result<GpuHealth> read_gpu_health(const std::string& pci_bus_id) {
  static const Loaded loaded = load();
  if (!loaded.problem.empty()) return fail(Fault::machine, "no_nvml", loaded.problem);
  const nvml::Api& api = loaded.api;
  nvml::Device device = nullptr;
  if (api.device_by_pci_bus_id(pci_bus_id.c_str(), &device) != nvml::k_success)
    return fail(Fault::machine, "no_nvml", "NVML knows no GPU at \"" + pci_bus_id + "\"");

  GpuHealth health;
  char version[96] = {};
  if (api.driver_version != nullptr && api.driver_version(version, sizeof version) == nvml::k_success)
    health.driver_version = version;
  health.sm_clock_mhz = ask<unsigned>(api.clock, device, nvml::k_clock_sm);
  health.max_sm_clock_mhz = ask<unsigned>(api.max_clock, device, nvml::k_clock_sm);
  health.memory_clock_mhz = ask<unsigned>(api.clock, device, nvml::k_clock_memory);
  health.temperature_c = ask<unsigned>(api.temperature, device, nvml::k_temperature_gpu);
  health.power_mw = ask<unsigned>(api.power, device);
  health.power_limit_mw = ask<unsigned>(api.power_limit, device);
  if (const auto utilization = ask<nvml::Utilization>(api.utilization, device))
    health.utilization_percent = utilization->gpu;
  if (const auto enabled = ask<int>(api.persistence_mode, device)) health.persistence_mode = *enabled != 0;
  if (const auto bits = ask<unsigned long long>(api.throttle_reasons, device))
    health.throttle_reasons = names_of_reasons(*bits);
  health.processes = processes_on(api, device);
  return health;
}

}  // namespace kbv
