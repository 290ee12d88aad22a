// SPDX-License-Identifier: MIT
#include "os/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <ctime>
#include <string_view>
#include <unordered_set>

#include "base/clock.h"

namespace kbv {
namespace {

/// A whole /proc file. A fork bomb's list of children is long, so there is no limit.
std::string read_at(int proc, const std::string& path) {
  std::string text;
  const Fd fd(::openat(proc, path.c_str(), O_RDONLY | O_CLOEXEC));
  char block[4096];
  for (ssize_t n; fd && (n = ::read(fd.get(), block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(n));
  return text;
}

/// The names in a folder that are numbers.
std::vector<pid_t> numbers_in(int proc, const std::string& path) {
  std::vector<pid_t> numbers;
  const int fd = ::openat(proc, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : ::fdopendir(fd);
  if (!folder) {
    if (fd >= 0) ::close(fd);
    return numbers;
  }
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  ::closedir(folder);
  return numbers;
}

void add_children(int proc, pid_t pid, std::vector<pid_t>& children) {
  const std::string tasks = std::to_string(pid) + "/task";
  for (const pid_t thread : numbers_in(proc, tasks)) {
    const std::string text = read_at(proc, tasks + "/" + std::to_string(thread) + "/children");
    const char* end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
      pid_t child = 0;
      const auto [next, error] = std::from_chars(at, end, child);
      if (error == std::errc{} && child > 0) children.push_back(child);
      at = std::max(next, at) + 1;
    }
  }
}

/// The number that follows `name` in /proc/<pid>/status.
std::uint64_t field(std::string_view status, std::string_view name) {
  const auto at = status.find(name);
  if (at == std::string_view::npos) return 0;
  const auto digits = status.find_first_of("0123456789", at + name.size());
  std::uint64_t value = 0;
  if (digits != std::string_view::npos) std::from_chars(status.data() + digits, status.data() + status.size(), value);
  return value;
}

/// Whether the state letter of /proc/<pid>/stat says that it is neither stopped nor dead.
bool runs(std::string_view stat) {
  const auto end_of_name = stat.rfind(')');  // the name may hold anything, parentheses too
  if (end_of_name == std::string_view::npos || end_of_name + 2 >= stat.size()) return false;
  return std::string_view("TtZX").find(stat[end_of_name + 2]) == std::string_view::npos;
}

void pause_milliseconds(long milliseconds) {
  const timespec pause{0, milliseconds * 1'000'000};
  ::nanosleep(&pause, nullptr);
}

}  // namespace

BoxProcesses BoxProcesses::of_namespace(Fd proc) {
  BoxProcesses processes;
  processes.proc_ = std::move(proc);
  return processes;
}

BoxProcesses BoxProcesses::below(pid_t root) {
  BoxProcesses processes;
  processes.proc_ = Fd(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  processes.root_ = root;
  return processes;
}

void BoxProcesses::visit(const std::function<void(pid_t)>& visit) const {
  if (root_ == 0) {
    for (const pid_t pid : numbers_in(proc_.get(), "."))
      if (pid != 1) visit(pid);
    return;
  }
  std::vector<pid_t> found;
  std::unordered_set<pid_t> seen{root_};
  add_children(proc_.get(), root_, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pid_t pid = found[i];
    if (!seen.insert(pid).second) continue;
    visit(pid);
    add_children(proc_.get(), pid, found);
  }
}

std::string BoxProcesses::read(pid_t pid, const char* file) const {
  return read_at(proc_.get(), std::to_string(pid) + "/" + file);
}

std::vector<pid_t> BoxProcesses::pids() const {
  std::vector<pid_t> pids;
  visit([&](pid_t pid) { pids.push_back(pid); });
  return pids;
}

BoxProcesses::Use BoxProcesses::use() const {
  Use use;
  visit([&](pid_t pid) {
    const std::string status = read(pid, "status");
    // The name comes first and a newline in it is written as \n, so it can't pose as another field.
    use.resident_bytes += (field(status, "\nRssAnon:") + field(status, "\nRssShmem:")) << 10;
    use.threads += field(status, "\nThreads:");
    ++use.processes;
  });
  return use;
}

bool BoxProcesses::any_running() const {
  bool running = false;
  visit([&](pid_t pid) { running = running || runs(read(pid, "stat")); });
  return running;
}

bool BoxProcesses::stop(double seconds) const {
  const Deadline deadline = after_seconds(seconds);
  for (int quiet_rounds = 0; quiet_rounds < 2;) {
    bool running = false;
    visit([&](pid_t pid) {
      if (!runs(read(pid, "stat"))) return;
      ::kill(pid, SIGSTOP);
      running = true;
    });
    quiet_rounds = running ? 0 : quiet_rounds + 1;
    if (Clock::now() > deadline) return false;
    if (running) pause_milliseconds(1);
  }
  return true;
}

void BoxProcesses::resume() const {
  visit([](pid_t pid) { ::kill(pid, SIGCONT); });
}

bool kill_own_tree(double seconds) {
  const BoxProcesses tree = BoxProcesses::below(::getpid());
  const Deadline deadline = after_seconds(seconds);
  while (true) {
    while (true) {
      const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG | __WALL);
      if (reaped < 0) return true;  // ECHILD: none left
      if (reaped == 0) break;
    }
    // Stopping first: stopped processes can't fork, so a bomb stops growing while it is killed.
    tree.stop(1);
    tree.visit([](pid_t pid) { ::kill(pid, SIGKILL); });
    if (Clock::now() > deadline) return false;
    pause_milliseconds(1);
  }
}

}  // namespace kbv
