// SPDX-License-Identifier: MIT
// All descendants of a process, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace kbv {

/// Every process below `root` (not `root` itself). A process that moves while we look may be missed: look again.
std::vector<pid_t> descendants(pid_t root);

struct TreeUse {
  std::uint64_t resident_bytes = 0;  ///< anonymous and shared pages; a page that two processes map counts twice
  std::uint64_t processes = 0;
  std::uint64_t threads = 0;
};

/// What `root`'s descendants use now. File pages are not counted: the kernel can take them back.
TreeUse tree_use(pid_t root);

/// Sends SIGSTOP to every process below `root` until none is left that runs; false after `seconds`.
bool stop_tree(pid_t root, double seconds);

/// Whether a process below `root` runs (is not stopped, and not dead).
bool any_running(pid_t root);

/// Sends SIGCONT to every process below `root`.
void continue_tree(pid_t root);

/// Kills every process below `root`, the caller, and reaps those that became its children; false after `seconds`.
bool kill_own_tree(double seconds);

}  // namespace kbv
