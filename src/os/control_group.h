// SPDX-License-Identifier: MIT
// A group of processes (cgroup) that the kernel holds to limits and can end as a whole: version 1, 2, or both at once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace kbv {

struct GroupLimits {
  std::uint64_t memory_bytes = 0;  ///< resident, page cache that can't be dropped, and files in memory; 0: no limit
  std::uint64_t processes = 0;     ///< processes and threads; 0: no limit
  bool background = false;         ///< gets little of the CPU while others want it
};

/// Made by the launcher for one box, and removed by it; a box of a launcher that was killed leaves an empty group
/// behind, which the next make() removes.
class ControlGroup {
 public:
  ControlGroup() = default;
  ControlGroup(ControlGroup&&) = default;
  ControlGroup& operator=(ControlGroup&&) = default;
  ~ControlGroup() { end(); }

  /// Wherever this process may make groups. What can't be had is in missing().
  static ControlGroup make(const GroupLimits& limits);

  /// Moves a process, and those that it starts from now on, into it.
  Result<void> add(pid_t process) const;

  /// Kills every process in it and removes it. Safe to call twice.
  void end();

  /// Whether both memory and processes are held to their limits (those that are asked for).
  bool limits_all() const { return missing_.empty(); }
  const std::string& missing() const { return missing_; }

  /// The folder whose limit of memory set_group_memory() sets; empty without one.
  const std::string& memory_folder() const { return memory_folder_; }

  /// An open file for killed_for_memory(), which a process that does not see the folders can read. -1 without one.
  int memory_events() const { return memory_events_.get(); }

 private:
  std::vector<std::string> folders_;  ///< one in each hierarchy
  std::string memory_folder_, missing_;
  Fd memory_events_;
};

/// Sets the limit of a folder of ControlGroup::memory_folder(). Best effort: the judge's own watch stands besides.
void set_group_memory(const std::string& folder, std::uint64_t bytes);

/// Whether the kernel has ended a process of the group since it went over its memory.
bool killed_for_memory(int memory_events);

/// For `kbv doctor`: makes one and removes it. What it is, or why there is none.
struct GroupProbe {
  bool available = false;
  std::string detail;
};
GroupProbe probe_control_group();

}  // namespace kbv
