// SPDX-License-Identifier: MIT
// The box's first process: starts the program, and sees to it that the box ends.
#pragma once

#include <string>

#include "os/box_spec.h"
#include "os/program.h"

namespace kbv {

struct KeeperSetup {
  ProgramSetup program;
  IsolationReport report;   ///< reached so far
  std::string absent;       ///< "layer: reason" of what is told, but lowers no level; "" if there is nothing
  std::string host_folder;  ///< the box's folder if it is one of the host's
  std::string memory_group;  ///< ControlGroup::memory_folder()
  int memory_events = -1;    ///< ControlGroup::memory_events()
  bool is_init = false;     ///< pid 1 of its own namespace
};

/// Runs until the program has ended, or the judge, or until the judge says so; then nothing in the box is left. Tells
/// the judge what happened on k_status_fd.
[[noreturn]] void run_keeper(KeeperSetup setup);

/// Sends a message to the judge, if it is still there, with a copy of `fd` if there is one.
void tell_judge(const StatusMessage& message, int fd = -1);

}  // namespace kbv
