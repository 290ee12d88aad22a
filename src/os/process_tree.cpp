// SPDX-License-Identifier: MIT
#include "os/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/clock.h"
#include "base/fd.h"

namespace kbv {
namespace {

/// A whole /proc file. Children lists of a fork bomb are long, so there is no limit.
std::string read_proc(const std::string& path) {
  std::string text;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char block[4096];
  for (ssize_t n; fd && (n = ::read(fd.get(), block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(n));
  return text;
}

void add_children_of_thread(const std::string& path, std::vector<pid_t>& children) {
  const std::string text = read_proc(path);
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    pid_t pid = 0;
    const auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc{} && pid > 0) children.push_back(pid);
    at = std::max(next, at) + 1;
  }
}

void add_children(pid_t pid, std::vector<pid_t>& children) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  DIR* folder = ::opendir(tasks.c_str());
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder))
    if (entry->d_name[0] != '.') add_children_of_thread(tasks + "/" + entry->d_name + "/children", children);
  ::closedir(folder);
}

/// Calls `visit` on each descendant as soon as it is found: a fork bomb grows while we look.
template <typename Visit>
void walk(pid_t root, Visit&& visit) {
  std::vector<pid_t> found;
  std::unordered_set<pid_t> seen{root};
  add_children(root, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pid_t pid = found[i];
    if (!seen.insert(pid).second) continue;
    visit(pid);
    add_children(pid, found);
  }
}

/// The state letter of /proc/<pid>/stat; 0 if the process is gone.
char state_of(pid_t pid) {
  const std::string stat = read_proc("/proc/" + std::to_string(pid) + "/stat");
  const auto end_of_name = stat.rfind(')');  // the name may hold anything, parentheses too
  return end_of_name == std::string::npos || end_of_name + 2 >= stat.size() ? '\0' : stat[end_of_name + 2];
}

bool runs(pid_t pid) {
  const char state = state_of(pid);
  return state != 'T' && state != 't' && state != 'Z' && state != 'X' && state != '\0';
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

void pause_milliseconds(long milliseconds) {
  const timespec pause{0, milliseconds * 1'000'000};
  ::nanosleep(&pause, nullptr);
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> pids;
  walk(root, [&](pid_t pid) { pids.push_back(pid); });
  return pids;
}

TreeUse tree_use(pid_t root) {
  TreeUse use;
  walk(root, [&](pid_t pid) {
    const std::string status = read_proc("/proc/" + std::to_string(pid) + "/status");
    // The name field comes first and can't hold a newline, so it can't pose as another field.
    use.resident_bytes += (field(status, "\nRssAnon:") + field(status, "\nRssShmem:")) << 10;
    use.threads += field(status, "\nThreads:");
    ++use.processes;
  });
  return use;
}

bool any_running(pid_t root) {
  bool running = false;
  walk(root, [&](pid_t pid) { running |= runs(pid); });
  return running;
}

bool stop_tree(pid_t root, double seconds) {
  const Deadline deadline = after_seconds(seconds);
  for (int quiet_rounds = 0; quiet_rounds < 2;) {
    bool running = false;
    walk(root, [&](pid_t pid) {
      if (!runs(pid)) return;
      ::kill(pid, SIGSTOP);
      running = true;
    });
    quiet_rounds = running ? 0 : quiet_rounds + 1;
    if (Clock::now() > deadline) return false;
    if (running) pause_milliseconds(1);
  }
  return true;
}

void continue_tree(pid_t root) {
  walk(root, [](pid_t pid) { ::kill(pid, SIGCONT); });
}

bool kill_own_tree(double seconds) {
  const pid_t self = ::getpid();
  const Deadline deadline = after_seconds(seconds);
  while (true) {
    // Stopping first: stopped processes can't fork, so a bomb stops growing while it is killed.
    stop_tree(self, 1);
    walk(self, [](pid_t pid) { ::kill(pid, SIGKILL); });
    while (true) {
      const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG | __WALL);
      if (reaped < 0) return true;  // ECHILD: none left
      if (reaped == 0) break;
    }
    if (Clock::now() > deadline) return false;
    pause_milliseconds(1);
  }
}

}  // namespace kbv
