// SPDX-License-Identifier: MIT
// The last step before the untrusted program: a child that takes on its limits and executes it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "os/landlock.h"
#include "os/process.h"

namespace kbv {

struct ProgramSetup {
  const LaunchSpec* spec = nullptr;
  std::string box;                  ///< what "{box}" stands for
  uid_t uid = 0;                    ///< whom to become; 0: stay
  bool own_user_namespace = false;  ///< put it alone into one, in which no other can be made
  bool shared_uid = false;          ///< see apply_limits()
  bool filters = false;             ///< Landlock and seccomp
  WritePlaces places;               ///< for Landlock
};

struct StartedProgram {
  pid_t pid = 0;
  std::vector<std::string> layers;  ///< reached in the program itself
  /// "layer: reason" of those that were not. `absent`: the kernel has no such thing, which is nobody's mistake.
  std::vector<std::string> missing, absent;
  Fd listener;  ///< for a CallListener; none where refused calls can't be told
};

/// Returns once the program runs (its execve() has succeeded).
Result<StartedProgram> start_program(const ProgramSetup& setup);

}  // namespace kbv
