// SPDX-License-Identifier: MIT
// Starts the launcher; see launcher.cpp for what it does.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "os/process.h"
#include "os/socket.h"

namespace kbv {

/// The judge's ends of a box.
struct SpawnedLauncher {
  pid_t pid = 0;
  Fd lifeline;    ///< closing it ends the box
  Fd output;      ///< stdout and stderr; non-blocking
  Socket status;  ///< StatusMessages
};

Result<SpawnedLauncher> spawn_launcher(const LaunchSpec& spec);

/// Runs "<this binary> internal-launch <verb>" to its end and returns what it wrote on stdout.
Result<std::string> run_own_verb(const std::string& verb);

}  // namespace kbv
