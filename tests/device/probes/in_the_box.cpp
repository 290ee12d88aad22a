// SPDX-License-Identifier: MIT
// Probes 7 and 8: NVML from inside a box and of what is in one, and the driver's start under the box's filters.
#include <unistd.h>

#include <algorithm>

#include "boxed_worker.h"
#include "device/nvml.h"
#include "probe.h"

namespace kbv::cuda::probes {
namespace {

json pids_of(const GpuHealth& health) {
  json pids = json::array();
  for (const auto& process : health.processes) pids.push_back(process.pid);
  return pids;
}

bool contains(const json& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), json(static_cast<unsigned>(pid))) != pids.end();
}

json refused(BoxedWorker& worker) {
  json calls = json::array();
  for (const auto& call : worker.process().refused_calls())
    calls.push_back(call.call + (call.is_attack ? " (attack)" : ""));
  return calls;
}

/// Starts a worker under a profile: how long each step took, or why it did not.
Result<json> start_under(const DeviceInfo& device, IsolationProfile profile) {
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::launch(device, profile));
  auto started = worker->ask({{"do", "start"}});
  json result = started ? *started : json{{"error", started.error().message}};
  const IsolationReport report = worker->process().isolation();
  result["level"] = report.level;
  result["layers"] = report.layers;
  result["missing"] = report.missing;
  worker->process().kill();
  result["refused_calls"] = refused(*worker);
  return result;
}

}  // namespace

Result<Finding> probe_nvml(const Options&) {
  KBV_TRY_ASSIGN(auto device, open_cuda_device(0));
  const std::string bus = device->info().pci_bus_id;
  Finding finding;
  auto before = read_gpu_health(bus);
  if (!before) return tl::make_unexpected(std::move(before).error());
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device->info()));
  KBV_TRY_ASSIGN(const json inside, worker->ask({{"do", "nvml"}, {"bus", bus}}));
  KBV_TRY_ASSIGN(const GpuHealth during, read_gpu_health(bus));
  worker->process().kill();
  finding.numbers = {{"inside", inside},
                     {"judge_before", pids_of(*before)},
                     {"judge_during", pids_of(during)},
                     {"worker_pid", worker->pid()},
                     {"judge_pid", ::getpid()},
                     {"refused_calls", refused(*worker)}};
  std::string refused_text;
  const json calls = inside.value("calls", json::object());
  for (const auto& [name, status] : calls.items())
    if (status != 0) refused_text += (refused_text.empty() ? "" : ", ") + name + " (" + status.dump() + ")";
  const bool sees = contains(finding.numbers["judge_during"], worker->pid());
  const std::size_t inside_pids = inside.value("pids", json::array()).size();
  finding.text = std::string("inside the box ") +
                 (inside.contains("load") ? inside["load"].get<std::string>()
                  : refused_text.empty()  ? "every reading works"
                                          : "fail: " + refused_text) +
                 ", " + std::to_string(inside_pids) + " pids are told; the judge " +
                 (sees ? "sees the worker's pid" : "does not see the worker's pid") + " among " +
                 std::to_string(during.processes.size()) + " (" + std::to_string(before->processes.size()) + " before)";
  return finding;
}

Result<Finding> probe_start_in_box(const Options&) {
  const CudaProbe devices = probe_cuda();
  if (devices.devices.empty()) return fail(Fault::machine, "no_gpu", devices.reason);
  Finding finding;
  const std::pair<const char*, IsolationProfile> profiles[] = {
      {"none", IsolationProfile::none}, {"basic", IsolationProfile::basic}, {"strict", IsolationProfile::strict}};
  for (int round = 0; round < 2; ++round)  // the second finds everything in the page cache
    for (const auto& [name, profile] : profiles) {
      auto started = start_under(devices.devices[0], profile);
      finding.numbers[name] = started ? *started : json{{"error", started.error().message}};
    }
  const json& strict = finding.numbers["strict"];
  const auto part = [](const json& said) {
    return said.contains("error")
               ? "fails: " + said["error"].dump()
               : "cuInit " + number(said["cuinit_ms"], 0) + " ms, context " + number(said["context_ms"], 0) + " ms";
  };
  finding.text = "strict (reached: " + strict.value("level", "nothing") + "): " + part(strict) +
                 "; none: " + part(finding.numbers["none"]) +
                 "; refused calls: " + strict.value("refused_calls", json::array()).dump();
  const auto layers = strict.value("layers", std::vector<std::string>{});
  const auto has = [&](const char* layer) { return std::find(layers.begin(), layers.end(), layer) != layers.end(); };
  if (!strict.contains("level"))
    finding.outcome = Outcome::failed;
  else if (strict.contains("error"))
    finding.outcome = Outcome::surprise;
  else if (!has("landlock") || !has("seccomp"))
    finding.text += "; NOT under both filters here: " + strict["missing"].dump();
  return finding;
}

}  // namespace kbv::cuda::probes
