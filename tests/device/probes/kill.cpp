// SPDX-License-Identifier: MIT
// Probe 9: from the kill of a box that uses the device until the device is as it was.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "boxed_worker.h"
#include "device/nvml.h"
#include "probe.h"

namespace kbv::cuda::probes {
namespace {

constexpr double k_idle_us = 400;                   // as the judge's DeviceWatch has it
constexpr std::uint64_t k_slack_bytes = 32u << 20;  // of the driver's own

struct Times {
  double kill_ms = NAN, prompt_ms = NAN, memory_ms = NAN, unlisted_ms = NAN;
  bool listed = false;  ///< NVML told of it before
};

bool is_listed(const std::string& bus, pid_t pid) {
  const auto health = read_gpu_health(bus);
  return health && std::any_of(health->processes.begin(), health->processes.end(),
                               [&](const GpuProcess& p) { return static_cast<pid_t>(p.pid) == pid; });
}

Result<bool> prompt(Device& device, Buffer& small) {
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    KBV_TRY(device.fill(small, 0));
    KBV_TRY(device.sync());
    times.push_back(microseconds_between(start, Clock::now()));
  }
  return median(times) < k_idle_us;
}

Result<Times> kill_one(Device& device, Buffer& small, std::uint64_t bytes, double spin_s) {
  KBV_TRY_ASSIGN(const std::uint64_t used_before, device.memory_used_bytes());
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device.info()));
  if (bytes > 0) {
    KBV_TRY(worker->ask({{"do", "take"}, {"bytes", bytes}, {"create", false}}));
    KBV_TRY(worker->ask({{"do", "fill"}, {"word", 1}}));
  }
  if (spin_s > 0)
    KBV_TRY(worker->ask({{"do", "spin"},
                         {"ns", static_cast<std::uint64_t>(spin_s * 1e9)},
                         {"blocks", 2 * worker->started().value("multiprocessors", 1u)}}));
  Times times;
  times.listed = is_listed(device.info().pci_bus_id, worker->pid());
  const auto start = Clock::now();
  const auto ms = [&] { return seconds_since(start) * 1e3; };
  worker->process().kill();
  times.kill_ms = ms();
  while (ms() < 6000) {
    if (std::isnan(times.prompt_ms)) {
      KBV_TRY_ASSIGN(const bool is_prompt, prompt(device, small));
      if (is_prompt) times.prompt_ms = ms();
    }
    if (std::isnan(times.memory_ms)) {
      KBV_TRY_ASSIGN(const std::uint64_t used, device.memory_used_bytes());
      if (used <= used_before + k_slack_bytes) times.memory_ms = ms();
    }
    if (times.listed && std::isnan(times.unlisted_ms) && !is_listed(device.info().pci_bus_id, worker->pid()))
      times.unlisted_ms = ms();
    if (!std::isnan(times.prompt_ms) && !std::isnan(times.memory_ms) &&
        (!times.listed || !std::isnan(times.unlisted_ms)))
      break;
    ::usleep(200);
  }
  return times;
}

}  // namespace

Result<Finding> probe_kill(const Options& options) {
  KBV_TRY_ASSIGN(auto device, open_cuda_device(0));
  KBV_TRY_ASSIGN(auto small, device->allocate_private(1));
  const std::uint64_t bytes = options.memory_bytes == 0 ? 8ull << 30 : options.memory_bytes;
  struct Arm {
    const char* name;
    std::uint64_t bytes;
    bool spins;
  };
  Finding finding;
  for (const Arm& arm :
       {Arm{"idle", 0, false}, Arm{"spinning", 0, true}, Arm{"memory", bytes, false}, Arm{"both", bytes, true}}) {
    std::vector<double> kill, ready;
    json each = json::array();
    bool never = false;
    for (int i = 0; i < 3; ++i) {
      KBV_TRY_ASSIGN(const Times times, kill_one(*device, *small, arm.bytes, arm.spins ? options.spin_s : 0.0));
      each.push_back({{"kill_ms", times.kill_ms},
                      {"prompt_ms", times.prompt_ms},
                      {"memory_back_ms", times.memory_ms},
                      {"unlisted_ms", times.unlisted_ms},
                      {"was_listed", times.listed}});
      kill.push_back(times.kill_ms);
      never = never || std::isnan(times.prompt_ms) || std::isnan(times.memory_ms) ||
              (times.listed && std::isnan(times.unlisted_ms));
      ready.push_back(std::max({times.prompt_ms, times.memory_ms, times.listed ? times.unlisted_ms : 0.0}));
    }
    finding.numbers[arm.name] = each;
    finding.text += (finding.text.empty() ? "" : "; ") + std::string(arm.name) + ": dead after " +
                    number(median(kill), 0) + " ms, device ready after " +
                    (never ? "more than 6000" : number(*std::max_element(ready.begin(), ready.end()), 0)) + " ms";
    if (never) finding.outcome = Outcome::surprise;
  }
  finding.text += " (of 3: median, most)";
  return finding;
}

}  // namespace kbv::cuda::probes
