// SPDX-License-Identifier: MIT
#include "cli/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"

namespace kbv {
namespace {

std::string line(std::string_view name, std::string_view value) { return fmt::format("  {:<14}{}\n", name, value); }

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

std::string gib(std::uint64_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1ull << 30)); }

std::string compiler_text(const Compiler& compiler) {
  return compiler.version.empty() ? or_none(compiler.path) : compiler.path + "  (" + compiler.version + ")";
}

std::string machine_section(const DoctorFacts& facts) {
  return "Machine\n" + line("kbv", facts.kbv_version) + line("system", facts.system + ", Linux " + facts.kernel) +
         line("processor", fmt::format("{}, {} CPU{}", facts.processor, facts.cpus, facts.cpus == 1 ? "" : "s")) +
         line("memory", gib(facts.memory_bytes));
}

std::string gpu_section(const DoctorFacts& facts) {
  std::string text = "GPU\n";
  if (facts.cuda.devices.empty()) text += line("devices", "none: " + facts.cuda.reason);
  for (const DeviceInfo& device : facts.cuda.devices) {
    text += line(fmt::format("cuda:{}", device.index),
                 fmt::format("{}, compute capability {}.{}, {}", device.name, device.compute_capability / 10,
                             device.compute_capability % 10, gib(device.total_bytes)));
  }
  text += line("driver", or_none(facts.driver_version));
  for (const DeviceNode& node : facts.device_nodes)
    text += line("node", node.path + (node.usable ? "" : "  (no read and write access)"));
  return text;
}

std::string python_section(const DoctorFacts& facts) {
  if (!facts.python_error.empty()) return "Python\n" + line("python", "none: " + facts.python_error);
  const PythonEnvironment& python = facts.python;
  return "Python\n" + line("python", python.executable + "  (" + python.version + ")") +
         line("PyTorch", or_none(python.torch_version)) + line("Triton", or_none(python.triton_version)) +
         line("headers", or_none(python.include_dir));
}

std::string compilers_section(const DoctorFacts& facts) {
  return "Compilers\n" + line("c++", compiler_text(facts.cxx)) + line("nvcc", compiler_text(facts.nvcc)) +
         line("ninja", or_none(facts.ninja)) + line("sanitizer", compiler_text(facts.sanitizer));
}

/// The reasons why layers are missing, each with its layers: one obstacle usually takes several away.
std::vector<std::pair<std::string, std::string>> missing_by_reason(const IsolationReport& isolation) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const std::string& missing : isolation.missing) {
    const auto colon = missing.find(": ");
    const std::string layer = missing.substr(0, colon);
    const std::string reason = colon == std::string::npos ? "no reason is known" : missing.substr(colon + 2);
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == reason; });
    if (group == groups.end()) {
      groups.emplace_back(reason, layer);
    } else {
      group->second += ", " + layer;
    }
  }
  return groups;
}

std::string isolation_section(const DoctorFacts& facts) {
  std::string text = "Isolation\n";
  for (const IsolationProbe& probe : facts.isolation)
    text += line(probe.layer, !probe.available ? "no: " + probe.reason : probe.reason.empty() ? "yes" : "yes (" + probe.reason + ")");
  if (!facts.box.error.empty()) return text + line("a box", "does not start: " + facts.box.error);
  text += line("a box", "reaches level " + facts.box.isolation.level);
  for (const auto& [reason, layers] : missing_by_reason(facts.box.isolation))
    text += line("", "without " + layers + ": " + reason);
  return text;
}

std::string findings_section(const std::vector<Finding>& findings) {
  std::string text = "What this means\n";
  for (const Finding& finding : findings) {
    text += line(to_string(finding.severity), finding.meaning);
    if (!finding.mend.empty()) text += line("", "mend: " + finding.mend);
  }
  return text;
}

}  // namespace

std::string doctor_text(const DoctorFacts& facts, const std::vector<Finding>& findings) {
  return machine_section(facts) + "\n" + gpu_section(facts) + "\n" + python_section(facts) + "\n" +
         compilers_section(facts) + "\n" + isolation_section(facts) + "\n" + findings_section(findings);
}

std::string doctor_json(const DoctorFacts& facts, const std::vector<Finding>& findings) {
  using Json = nlohmann::ordered_json;
  Json devices = Json::array();
  for (const DeviceInfo& device : facts.cuda.devices) {
    devices.push_back({{"index", device.index},
                       {"name", device.name},
                       {"compute_capability", device.compute_capability},
                       {"cuda_driver_version", device.driver_version},
                       {"total_bytes", device.total_bytes},
                       {"l2_bytes", device.l2_bytes},
                       {"uuid", device.uuid},
                       {"pci_bus_id", device.pci_bus_id}});
  }
  Json nodes = Json::array();
  for (const DeviceNode& node : facts.device_nodes) nodes.push_back({{"path", node.path}, {"usable", node.usable}});
  Json probes = Json::array();
  for (const IsolationProbe& probe : facts.isolation)
    probes.push_back({{"layer", probe.layer}, {"available", probe.available}, {"reason", probe.reason}});
  Json meaning = Json::array();
  for (const Finding& finding : findings) {
    meaning.push_back(
        {{"severity", to_string(finding.severity)}, {"meaning", finding.meaning}, {"mend", finding.mend}});
  }
  const Json document = {{"schema", "kbv-doctor/1"},
                         {"machine",
                          {{"system", facts.system},
                           {"kernel", facts.kernel},
                           {"processor", facts.processor},
                           {"cpus", facts.cpus},
                           {"load", facts.load},
                           {"memory_bytes", facts.memory_bytes}}},
                         {"gpu",
                          {{"usable", gpu_usable(facts)},
                           {"devices", devices},
                           {"reason", facts.cuda.reason},
                           {"driver_version", facts.driver_version},
                           {"nvidia_hardware", facts.nvidia_hardware},
                           {"device_nodes", nodes}}},
                         {"python",
                          {{"executable", facts.python.executable},
                           {"version", facts.python.version},
                           {"torch", facts.python.torch_version},
                           {"triton", facts.python.triton_version},
                           {"include_dir", facts.python.include_dir},
                           {"error", facts.python_error}}},
                         {"compilers",
                          {{"cxx", {{"path", facts.cxx.path}, {"version", facts.cxx.version}}},
                           {"nvcc", {{"path", facts.nvcc.path}, {"version", facts.nvcc.version}}},
                           {"ninja", facts.ninja}}},
                         {"sanitizer", {{"path", facts.sanitizer.path}, {"version", facts.sanitizer.version}}},
                         {"isolation",
                          {{"probes", probes},
                           {"level", facts.box.error.empty() ? facts.box.isolation.level : ""},
                           {"layers", facts.box.isolation.layers},
                           {"missing", facts.box.isolation.missing},
                           {"error", facts.box.error}}},
                         {"findings", meaning}};
  return json_text(document, 2) + "\n";
}

}  // namespace kbv
