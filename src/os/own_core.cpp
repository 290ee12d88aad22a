// SPDX-License-Identifier: MIT
#include "os/own_core.h"

#include <dirent.h>

#include <cstdlib>
#include <string>

#include "base/file.h"

namespace kbv {
namespace {

/// The CPUs in a list of the kernel's, such as "0-1,8".
void remove_listed(const std::string& list, cpu_set_t& from) {
  const char* at = list.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    long last = first;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) CPU_CLR(static_cast<std::size_t>(cpu), &from);
    at = *end == ',' ? end + 1 : end;
  }
}

void move_process(pid_t pid, const cpu_set_t& to, const cpu_set_t& main_thread) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  DIR* tasks = ::opendir(folder.c_str());
  if (!tasks) return;
  while (const dirent* entry = ::readdir(tasks))
    if (const int thread = std::atoi(entry->d_name); thread > 0)
      ::sched_setaffinity(thread, sizeof to, thread == pid ? &main_thread : &to);
  ::closedir(tasks);
}

}  // namespace

OwnCore::OwnCore(const std::vector<pid_t>& processes) {
  const int cpu = ::sched_getcpu();
  if (cpu < 0 || ::sched_getaffinity(0, sizeof before_, &before_) != 0 || CPU_COUNT(&before_) < 4) return;
  cpu_set_t others = before_, own;
  CPU_CLR(static_cast<std::size_t>(cpu), &others);
  remove_listed(read_small("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list"), others);
  // A virtual machine may call each thread a core of its own; usually 2 k and 2 k + 1 then are one.
  if (CPU_COUNT(&others) >= 4) CPU_CLR(static_cast<std::size_t>(cpu ^ 1), &others);
  if (CPU_COUNT(&others) < 2) return;
  CPU_ZERO(&own);
  CPU_SET(static_cast<std::size_t>(cpu), &own);
  pinned_ = ::sched_setaffinity(0, sizeof own, &own) == 0;
  cpu_set_t worker;
  CPU_ZERO(&worker);
  for (std::size_t i = CPU_SETSIZE; i-- > 0 && CPU_COUNT(&worker) == 0;)  // the first ones serve devices' interrupts
    if (CPU_ISSET(i, &others)) CPU_SET(i, &worker);
  for (const pid_t pid : processes)
    if (pid > 0) move_process(pid, others, worker);
}

OwnCore::~OwnCore() {
  if (pinned_) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace kbv
