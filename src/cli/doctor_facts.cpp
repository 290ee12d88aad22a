// SPDX-License-Identifier: MIT
#include "cli/doctor_facts.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>

#include "base/file.h"
#include "base/version.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n\"");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\"") - first + 1);
}

/// The value of the first line of `text` that starts with `key`, from after `separator` on.
std::string field(const std::string& text, std::string_view key, char separator) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(separator);
    if (at != std::string::npos && trimmed(line.substr(0, at)) == key) return trimmed(line.substr(at + 1));
  }
  return {};
}

/// The first line of `program --version` that holds `marker`, or its very first line if none does.
std::string version_line(const std::string& program, std::string_view marker) {
  std::string quoted = "'";
  for (const char c : program) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::string command = quoted + "' --version 2>/dev/null </dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "re"), ::pclose);
  if (!pipe) return {};
  std::string first;
  char line[512];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    if (std::string_view(line).find(marker) != std::string_view::npos) return trimmed(line);
    if (first.empty()) first = trimmed(line);
  }
  return first;
}

Compiler compiler(const std::string& path, std::string_view marker) {
  if (path.empty()) return {};
  return {path, version_line(path, marker)};
}

void look_at_machine(DoctorFacts& facts) {
  const std::string release = read_small("/etc/os-release");
  facts.system = field(release, "PRETTY_NAME", '=');
  facts.system_id = field(release, "ID", '=');
  utsname name{};
  if (::uname(&name) == 0) facts.kernel = name.release;
  facts.processor = field(read_small("/proc/cpuinfo"), "model name", ':');
  if (facts.processor.empty()) facts.processor = name.machine;
  cpu_set_t cpus;
  if (::sched_getaffinity(0, sizeof cpus, &cpus) == 0) facts.cpus = CPU_COUNT(&cpus);
  if (::getloadavg(&facts.load, 1) != 1) facts.load = 0;
  facts.memory_bytes = std::strtoull(field(read_small("/proc/meminfo"), "MemTotal", ':').c_str(), nullptr, 10) * 1024;
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue ..." holds one word that is digits and dots.
std::string nvidia_driver_version() {
  std::istringstream words(field(read_small("/proc/driver/nvidia/version"), "NVRM version", ':'));
  for (std::string word; words >> word;) {
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  }
  return trimmed(read_small("/sys/module/nvidia/version"));
}

bool nvidia_on_the_bus() {
  std::error_code error;
  for (fs::directory_iterator entry("/sys/bus/pci/devices", error), end; !error && entry != end;
       entry.increment(error)) {
    if (trimmed(read_small(entry->path() / "vendor")) == "0x10de") return true;
  }
  return false;
}

void look_at_gpu(DoctorFacts& facts) {
  facts.cuda = probe_cuda();
  facts.driver_version = nvidia_driver_version();
  facts.nvidia_hardware = nvidia_on_the_bus();
  for (const std::string& path : cuda_device_nodes())
    facts.device_nodes.push_back({path, ::access(path.c_str(), R_OK | W_OK) == 0});
}

/// Starts a box for a program that does nothing, since only that shows what a candidate's box will really reach.
BoxTrial try_box() {
  LaunchSpec spec;
  spec.label = "doctor's trial";
  spec.argv = {"/bin/true"};
  spec.env = {"PATH=/usr/bin:/bin"};
  spec.profile = IsolationProfile::strict;
  const auto process = Process::launch(std::move(spec));
  if (!process) return {{}, process.error().message};
  return {(*process)->isolation(), {}};
}

}  // namespace

DoctorFacts gather_doctor_facts(const std::string& wanted_python) {
  DoctorFacts facts;
  facts.kbv_version = k_version;
  look_at_machine(facts);
  look_at_gpu(facts);
  if (auto python = find_python(wanted_python)) {
    facts.python = std::move(*python);
  } else {
    facts.python_error = python.error().message;
  }
  const Toolchain toolchain = find_toolchain(facts.python);
  facts.cxx = compiler(toolchain.cxx, "");
  facts.nvcc = compiler(toolchain.nvcc, "release ");
  facts.ninja = toolchain.ninja;
  facts.sanitizer = compiler(find_sanitizer(), "Version ");
  facts.isolation = probe_isolation();
  facts.box = try_box();
  return facts;
}

}  // namespace kbv
