// SPDX-License-Identifier: MIT
// Theory of operation. Version 1 has a tree of groups for each controller, and any group may have processes. Version 2
// has one tree, and a group whose children are held to limits has no processes of its own (but for the machine's root).
// So of version 2 the group is made below our own group, if that lets its children have limits, or else below the
// nearest one above it whose children have them already.
#include "os/control_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "os/namespaces.h"

namespace kbv {
namespace {

constexpr double k_end_timeout_s = 5;
constexpr auto k_end_pause = std::chrono::milliseconds(2);
constexpr time_t k_stale_s = 30;  // an empty group that is younger may be about to get its process
constexpr const char* k_prefix = "kbv-box-";

/// One tree of groups.
struct Hierarchy {
  int version = 0;
  std::vector<std::string> controllers;  ///< version 1
  std::string mount, own_path;           ///< own_path: our group's, below `mount`; "/" for its root
};

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string one; words >> one;)
    if (one == word) return true;
  return false;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<Hierarchy> hierarchies() {
  // "36 32 0:31 /root/below /mount/point rw,... shared:1 - cgroup cgroup rw,pids"
  std::vector<Hierarchy> found;
  std::istringstream mounts(read_small("/proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    const auto dash = line.find(" - cgroup");
    if (dash == std::string::npos) continue;
    const auto before = split(line.substr(0, dash), ' '), after = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.size() < 3) continue;
    Hierarchy one;
    one.version = after[0] == "cgroup2" ? 2 : 1;
    if (one.version == 1) one.controllers = split(after[2], ',');
    one.mount = before[4];
    found.push_back(std::move(one));
  }
  // "4:memory:/path" of version 1, "0::/path" of version 2.
  std::istringstream own(read_small("/proc/self/cgroup"));
  for (std::string line; std::getline(own, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    for (Hierarchy& one : found) {
      const bool same = one.version == 2
                            ? line.rfind("0::", 0) == 0
                            : !controllers.empty() && std::find(one.controllers.begin(), one.controllers.end(),
                                                                controllers[0]) != one.controllers.end();
      if (same) one.own_path = line.substr(second + 1);
    }
  }
  for (Hierarchy& one : found) {
    // A container may see its own group as the mount's root, under a path that only the host has.
    struct stat info{};
    if (one.own_path.empty() || one.own_path.find("..") != std::string::npos ||
        ::stat((one.mount + one.own_path).c_str(), &info) != 0)
      one.own_path = "/";
  }
  return found;
}

std::string below(const Hierarchy& tree, const std::string& path) { return tree.mount + (path == "/" ? "" : path); }

/// Empty groups of launchers that were killed.
void remove_stale(const std::string& parent) {
  DIR* entries = ::opendir(parent.c_str());
  if (!entries) return;
  const time_t now = std::time(nullptr);
  while (const dirent* entry = ::readdir(entries)) {
    if (std::strncmp(entry->d_name, k_prefix, std::strlen(k_prefix)) != 0) continue;
    const std::string path = parent + "/" + entry->d_name;
    struct stat info{};
    if (::stat(path.c_str(), &info) == 0 && now - info.st_mtime > k_stale_s)
      ::rmdir(path.c_str());  // fails if one is in it
  }
  ::closedir(entries);
}

/// A new group below `parent`, or "" with the reason in errno.
std::string new_group(const std::string& parent) {
  remove_stale(parent);
  for (int serial = 0; serial < 100; ++serial) {
    const std::string path = parent + "/" + k_prefix + std::to_string(::getpid()) + "-" + std::to_string(serial);
    if (::mkdir(path.c_str(), 0755) == 0) return path;
    if (errno != EEXIST) return {};
  }
  return {};
}

/// Of version 2: the nearest of our group and those above it whose children have these controllers; "" if there is
/// none.
std::string parent_with(const Hierarchy& tree, const std::vector<std::string>& controllers) {
  for (std::string path = tree.own_path;; path = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1))) {
    const std::string control = below(tree, path) + "/cgroup.subtree_control";
    const auto gives = [&] {
      const std::string given = read_small(control);
      return std::all_of(controllers.begin(), controllers.end(), [&](const auto& one) { return has_word(given, one); });
    };
    // Of our own group only: what those above it are set to is somebody else's.
    if (path == tree.own_path && !gives())
      for (const auto& one : controllers) write_kernel_file(control, "+" + one);
    if (gives() && ::access(below(tree, path).c_str(), W_OK) == 0) return below(tree, path);
    if (path == "/") return {};
  }
}

const Hierarchy* tree_of(const std::vector<Hierarchy>& trees, const std::string& controller) {
  for (const Hierarchy& one : trees)
    if (std::find(one.controllers.begin(), one.controllers.end(), controller) != one.controllers.end()) return &one;
  return nullptr;
}

/// The number behind "name " in a file of such lines.
std::uint64_t count_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string word;
  for (std::uint64_t count = 0; lines >> word >> count;)
    if (word == name) return count;
  return 0;
}

}  // namespace

ControlGroup ControlGroup::make(const GroupLimits& limits) {
  ControlGroup group;
  const std::vector<Hierarchy> trees = hierarchies();
  const auto two = std::find_if(trees.begin(), trees.end(), [](const Hierarchy& one) { return one.version == 2; });
  std::vector<std::string> of_version_2;
  std::string reason = trees.empty() ? "no cgroup file system" : "";
  // Where version 1 has a controller, version 2 can't have it.
  const auto in_version_1 = [&](const char* controller, const char* file, std::uint64_t value) {
    const Hierarchy* tree = tree_of(trees, controller);
    if (!tree) {
      of_version_2.emplace_back(controller);
      return;
    }
    const std::string folder = new_group(below(*tree, tree->own_path));
    if (folder.empty()) {
      reason = std::string("version 1, ") + controller + ": " + std::strerror(errno);
      return;
    }
    group.folders_.push_back(folder);
    if (value > 0 && !write_kernel_file(folder + "/" + file, std::to_string(value))) {
      reason = std::string("version 1, ") + controller + ": the limit can't be set";
      return;
    }
    if (std::strcmp(controller, "memory") == 0) group.memory_folder_ = folder;
  };
  in_version_1("memory", "memory.limit_in_bytes", limits.memory_bytes);
  in_version_1("pids", "pids.max", limits.processes);
  if (two != trees.end()) {
    std::string parent = of_version_2.empty() ? std::string() : parent_with(*two, of_version_2);
    const bool limited = !parent.empty();
    // Without limits it can still be ended as a whole.
    if (parent.empty()) parent = below(*two, two->own_path);
    const std::string folder = new_group(parent);
    if (!folder.empty()) group.folders_.push_back(folder);
    if (!of_version_2.empty() && folder.empty()) reason = std::string("version 2: ") + std::strerror(errno);
    if (!of_version_2.empty() && !folder.empty() && !limited)
      reason =
          "version 2: no group above this process gives its children limits of memory and processes (a group of its "
          "own would, "
          "with the processes in a child of it)";
    if (limited && !folder.empty()) {
      for (const auto& controller : of_version_2) {
        const bool memory = controller == "memory";
        const std::uint64_t value = memory ? limits.memory_bytes : limits.processes;
        if (value > 0 && !write_kernel_file(folder + (memory ? "/memory.max" : "/pids.max"), std::to_string(value)))
          reason = "version 2, " + controller + ": the limit can't be set";
        if (memory) group.memory_folder_ = folder;
      }
      if (limits.background) write_kernel_file(folder + "/cpu.weight", "10");  // of 100; there if the parent gives it
    }
  } else if (!of_version_2.empty() && reason.empty()) {
    reason = "no controller for " + of_version_2[0];
  }
  group.missing_ = reason;
  if (!group.memory_folder_.empty())
    for (const char* file : {"/memory.events", "/memory.oom_control"})
      if (!group.memory_events_)
        group.memory_events_ = Fd(::open((group.memory_folder_ + file).c_str(), O_RDONLY | O_CLOEXEC));
  return group;
}

Result<void> ControlGroup::add(pid_t process) const {
  for (const auto& folder : folders_) KBV_TRY(write_kernel_file(folder + "/cgroup.procs", std::to_string(process)));
  return {};
}

void ControlGroup::end() {
  const Deadline deadline = after_seconds(k_end_timeout_s);
  for (const auto& folder : folders_) {
    while (::rmdir(folder.c_str()) != 0 && errno == EBUSY && Clock::now() < deadline) {
      if (!write_kernel_file(folder + "/cgroup.kill", "1")) {  // version 2 since Linux 5.14
        std::istringstream processes(read_small(folder + "/cgroup.procs"));
        for (pid_t one = 0; processes >> one;)
          if (one > 0) ::kill(one, SIGKILL);  // 0: one that this process does not see
      }
      std::this_thread::sleep_for(k_end_pause);
    }
  }
  folders_.clear();
}

void set_group_memory(const std::string& folder, std::uint64_t bytes) {
  const std::string value = std::to_string(bytes);
  if (!write_kernel_file(folder + "/memory.max", value)) write_kernel_file(folder + "/memory.limit_in_bytes", value);
}

bool killed_for_memory(int memory_events) {
  char text[512];
  const ssize_t n = memory_events < 0 ? 0 : ::pread(memory_events, text, sizeof text, 0);
  return n > 0 && count_of({text, static_cast<std::size_t>(n)}, "oom_kill") > 0;
}

GroupProbe probe_control_group() {
  const ControlGroup group = ControlGroup::make({1ull << 30, 64, false});
  if (!group.limits_all()) return {false, group.missing()};
  const bool second = ::access((group.memory_folder() + "/memory.max").c_str(), F_OK) == 0;
  return {true, second ? "version 2" : "version 1"};
}

}  // namespace kbv
