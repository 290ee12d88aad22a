// SPDX-License-Identifier: MIT
// The last step before the untrusted program: a child that takes on its limits and executes it.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "os/process.h"

namespace kbv {

struct ProgramSetup {
  const LaunchSpec* spec = nullptr;
  std::string box;                  ///< what "{box}" stands for
  uid_t uid = 0;                    ///< whom to become; 0: stay
  bool own_user_namespace = false;  ///< put it alone into one, in which no other can be made
  bool shared_uid = false;          ///< see apply_limits()
};

struct StartedProgram {
  pid_t pid = 0;
  std::string open_user_namespaces;  ///< why it can still make user namespaces; empty: it can't
};

/// Returns once the program runs (its execve() has succeeded).
Result<StartedProgram> start_program(const ProgramSetup& setup);

}  // namespace kbv
