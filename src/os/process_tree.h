// SPDX-License-Identifier: MIT
// The processes of a box, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"

namespace kbv {

class BoxProcesses {
 public:
  struct Use {
    std::uint64_t resident_bytes = 0;  ///< anonymous and shared pages; a page that two processes map counts twice.
                                       ///< File pages don't count: the kernel can take them back
    std::uint64_t processes = 0;
    std::uint64_t threads = 0;
  };

  /// All of a pid namespace but its process 1; `proc` is a folder of that namespace's own /proc. Cheap: one look for
  /// each process. The numbers are the namespace's, so stop() and resume() are for processes inside.
  static BoxProcesses of_namespace(Fd proc);

  /// Every process below `root`, but not `root`. One look for each thread. A process that is given to another parent
  /// while we look may be missed: look again.
  static BoxProcesses below(pid_t root);

  std::vector<pid_t> pids() const;
  Use use() const;

  /// Whether one runs: is neither stopped nor dead.
  bool any_running() const;

  /// Sends SIGSTOP until none is left that runs; false after `seconds`.
  bool stop(double seconds) const;

  /// Sends SIGCONT to each.
  void resume() const;

  /// Calls `visit` on each as soon as it is found: a fork bomb grows while we look.
  void visit(const std::function<void(pid_t)>& visit) const;

 private:
  std::string read(pid_t pid, const char* file) const;

  Fd proc_;
  pid_t root_ = 0;  // 0: the whole namespace
};

/// Kills every process below the caller and reaps those that became its children; false after `seconds`.
bool kill_own_tree(double seconds);

}  // namespace kbv
