// SPDX-License-Identifier: MIT
#include "judge/device_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "base/statistics.h"
#include "device/nvml.h"

namespace kbv {
namespace {

constexpr const char* k_left_work = "it said that it was done, but left work on the device that did not end";

/// An operation on an idle device is back after some 20 us; beside another context's kernel it waits for a time slice, 1 to
/// 2 ms.
constexpr double k_idle_us = 400;
constexpr std::uint64_t k_copy_bytes = 256u << 20, k_check_bytes = 4u << 20;

/// Whether `pid` is this process or below it; also if it can't be told, as for a number of another pid namespace.
bool is_ours(pid_t pid) {
  for (int depth = 0; depth < 64 && pid > 1; ++depth) {
    if (pid == ::getpid()) return true;
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(file, text)) return true;
    const auto name_end = text.rfind(')');  // the name may hold anything
    if (name_end == std::string::npos || name_end + 4 >= text.size()) return true;
    pid = static_cast<pid_t>(std::strtol(text.c_str() + name_end + 4, nullptr, 10));
  }
  return false;
}

std::vector<GpuProcess> foreign_among(std::vector<GpuProcess> processes) {
  std::erase_if(processes, [](const GpuProcess& process) { return is_ours(static_cast<pid_t>(process.pid)); });
  return processes;
}

}  // namespace

Result<std::optional<double>> DeviceWatch::idle_after(double timeout_s) {
  if (device_.info().backend == "host") return 0.0;
  if (!probe_) {
    KBV_TRY_ASSIGN(probe_, device_.allocate_private(1));
  }
  const auto begun = Clock::now();
  const Deadline end = after_seconds(timeout_s);
  for (bool first = true;; first = false) {
    std::vector<double> probes;
    for (int i = 0; i < 4; ++i) {
      const auto start = Clock::now();
      KBV_TRY(device_.fill(*probe_, 0));
      KBV_TRY(device_.sync());
      if (i > 0) probes.push_back(microseconds_between(start, Clock::now()));  // the first may switch contexts
    }
    if (median(probes) < k_idle_us) return first ? 0.0 : seconds_since(begun) * 1e3;
    if (Clock::now() > end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<double> DeviceWatch::wait_until_idle(double timeout_s) {
  KBV_TRY_ASSIGN(const std::optional<double> idle, idle_after(timeout_s));
  if (idle) return *idle;
  if (state().foreign_processes.value_or(0) > 0)
    return fail(Fault::machine, "device_busy", "another program's process keeps the device busy");
  return fail(Fault::candidate, "timeout", k_left_work);
}

void blame_for_busy(Error& error, DeviceWatch& watch, const std::function<void()>& end_candidate, double timeout_s) {
  if (error.code != "device_busy") return;
  end_candidate();
  if (watch.wait_until_idle(timeout_s)) error = {Fault::candidate, "timeout", k_left_work, {}};
}

Result<void> DeviceWatch::check_ready(bool times_wanted, double timeout_s) {
  if (device_.info().backend == "host") return {};
  if (times_wanted) {
    KBV_TRY_ASSIGN(const std::optional<double> idle, idle_after(timeout_s));
    if (!idle)
      return fail(Fault::machine, "device_busy",
                  fmt::format("work was on the device for {:g} s before this candidate: of another program, or of one that was killed. "
                              "No candidate gets the device until it is idle",
                              timeout_s));
  }
  // After a fault of another process the driver may answer and the device compute nothing, or this process may have lost it.
  KBV_TRY_ASSIGN(const auto written, device_.allocate_private(k_check_bytes));
  KBV_TRY_ASSIGN(const auto copied, device_.allocate_private(k_check_bytes));
  KBV_TRY(device_.fill(*written, 0x5A));
  KBV_TRY(device_.copy(*copied, *written, k_check_bytes));
  KBV_TRY_ASSIGN(const bool kept, device_.bytes_equal(*written, *copied, k_check_bytes));
  unsigned char last = 0;
  KBV_TRY(device_.read(&last, *copied, k_check_bytes - 1, 1));
  if (kept && last == 0x5A) return {};
  return fail(Fault::machine, "device_faulty", "the device does not keep what is written to it: no candidate gets it");
}

void DeviceWatch::wait_until_gone(pid_t pid, double timeout_s) const {
  if (device_.info().backend == "host") return;
  for (const Deadline end = after_seconds(timeout_s); Clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    const auto health = read_gpu_health(device_.info().pci_bus_id);
    if (!health || std::none_of(health->processes.begin(), health->processes.end(),
                                [&](const GpuProcess& process) { return static_cast<pid_t>(process.pid) == pid; }))
      return;
  }
}

std::uint64_t DeviceWatch::foreign_bytes(std::uint64_t at_most) const {
  if (device_.info().backend == "host") return 0;
  const auto health = read_gpu_health(device_.info().pci_bus_id);
  if (!health) return 0;
  std::uint64_t known = 0;
  bool untold = false;
  for (const GpuProcess& process : foreign_among(health->processes)) {
    known += process.memory_bytes;
    untold |= process.memory_bytes == 0;
  }
  return untold ? std::max(known, at_most) : known;
}

void blame_for_memory(Error& error, const MemoryShortage& shortage) {
  if (error.code != "out_of_memory" || shortage.over_host_limit) return;
  // A candidate that takes all there is would otherwise be excused by any small process beside it.
  const bool shared = shortage.foreign_bytes > shortage.device_bytes / 10;
  if (error.fault == Fault::candidate && !shared) return;
  error.message = (shared ? "other programs use this device's memory: " : "the problem does not fit on this device: ") + error.message;
  error.fault = Fault::machine;
  error.code = "device_memory";
}

DeviceState DeviceWatch::state() const {
  DeviceState state;
  state.at_s = seconds_since(start_);
  if (device_.info().backend == "host") return state;
  const auto health = read_gpu_health(device_.info().pci_bus_id);
  if (!health) return state;
  state.sm_clock_mhz = health->sm_clock_mhz;
  state.memory_clock_mhz = health->memory_clock_mhz;
  state.temperature_c = health->temperature_c;
  state.power_mw = health->power_mw;
  state.throttle_reasons = health->throttle_reasons;
  state.foreign_processes = static_cast<unsigned>(foreign_among(health->processes).size());
  return state;
}

bool DeviceWatch::disturbed(const DeviceState& state) {
  const auto brought_down = [](const std::string& reason) {
    return reason == "hw_slowdown" || reason == "hw_thermal_slowdown" || reason == "sw_thermal_slowdown" ||
           reason == "hw_power_brake";
  };
  return state.foreign_processes.value_or(0) > 0 ||
         std::any_of(state.throttle_reasons.begin(), state.throttle_reasons.end(), brought_down);
}

Result<double> DeviceWatch::memory_bytes_per_s() {
  if (device_.info().backend == "host") return 0.0;
  KBV_TRY_ASSIGN(auto from, device_.allocate_private(k_copy_bytes));
  KBV_TRY_ASSIGN(auto to, device_.allocate_private(k_copy_bytes));
  double best_us = 0;
  for (int i = 0; i < 5; ++i) {
    KBV_TRY(device_.sync());
    const auto start = Clock::now();
    constexpr int k_copies = 8;  // so that starting and waiting do not count
    for (int copy = 0; copy < k_copies; ++copy) KBV_TRY(device_.copy(*to, *from, k_copy_bytes));
    KBV_TRY(device_.sync());
    const double us = microseconds_between(start, Clock::now()) / k_copies;
    best_us = i == 0 ? us : std::min(best_us, us);
  }
  return 2.0 * static_cast<double>(k_copy_bytes) / best_us * 1e6;
}

}  // namespace kbv
