// SPDX-License-Identifier: MIT
#include "box.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"

namespace kbv {

IsolationProfile profile_named(const std::string& name) {
  return name == "strict"  ? IsolationProfile::strict
         : name == "basic" ? IsolationProfile::basic
                           : IsolationProfile::none;
}

LaunchSpec shell_spec(const std::string& script) {
  LaunchSpec spec;
  spec.label = "test program";
  spec.argv = {"/bin/sh", "-c", script};
  spec.env = {"PATH=/usr/bin:/bin"};
  return spec;
}

std::string marker() { return "kbv-os-test-" + std::to_string(::getpid()); }

LaunchSpec program_spec(const std::string& name, const std::vector<std::string>& arguments) {
  char self[PATH_MAX] = {};
  [[maybe_unused]] const ssize_t n = ::readlink("/proc/self/exe", self, sizeof self - 1);
  LaunchSpec spec;
  spec.label = "test program";
  spec.argv = {self, "program", name};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  spec.argv.push_back(marker());
  // Under a sanitizer: no leak check in what is to be killed, and the signals as they came.
  const std::string plain = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0";
  spec.env = {"PATH=/usr/bin:/bin", "ASAN_OPTIONS=detect_leaks=0:" + plain, "TSAN_OPTIONS=" + plain};
  spec.read_only_paths = {self};
  return spec;
}

std::unique_ptr<Process> start_box(LaunchSpec spec) {
  auto process = Process::launch(std::move(spec));
  if (!process) {
    ADD_FAILURE() << process.error().message << "\n" << process.error().detail;
    return nullptr;
  }
  return std::move(*process);
}

Ended run_box(LaunchSpec spec) {
  const auto process = start_box(std::move(spec));
  if (!process) return {{-1, 0, false, false}, {}, {}};
  if (!eventually(60, [&] { return process->exit_status().has_value(); })) {
    ADD_FAILURE() << "still running after 60 s: " << process->output();
    return {{-1, 0, false, false}, {}, {}};
  }
  process->kill();
  return {*process->exit_status(), process->output(), process->isolation()};
}

bool eventually(double seconds, const std::function<bool()>& done) {
  const Deadline deadline = after_seconds(seconds);
  while (!done()) {
    if (Clock::now() > deadline) return false;
    ::usleep(1000);
  }
  return true;
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> pids;
  DIR* folder = ::opendir("/proc");
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    std::string line = read_small(std::string("/proc/") + entry->d_name + "/cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.find(text) != std::string::npos) pids.push_back(static_cast<pid_t>(std::atoi(entry->d_name)));
  }
  ::closedir(folder);
  return pids;
}

bool has_strict(std::string& why) {
  static const IsolationReport report = [] {
    auto process = Process::launch(shell_spec("true"));
    return process ? (*process)->isolation() : IsolationReport{"none", {}, {process.error().message}};
  }();
  why.clear();
  for (const auto& missing : report.missing) why += (why.empty() ? "" : "; ") + missing;
  return report.level == "strict";
}

TemporaryFolder::TemporaryFolder() : path_(testing::TempDir() + "kbv-os-test-XXXXXX") {
  EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  EXPECT_EQ(::chmod(path_.c_str(), 0755), 0);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kbv
