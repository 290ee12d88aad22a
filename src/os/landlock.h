// SPDX-License-Identifier: MIT
// Landlock: what the program may change, connect to and signal, whatever the file system's own permissions say.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/call_rules.h"

namespace kbv {

struct WritePlaces {
  std::vector<std::string> folders;  ///< below them everything may be made, changed and removed
  std::vector<std::string> files;    ///< may be written: injected files, device nodes
  std::string process_files;         ///< /proc, whose files may be written as far as their owners let one
};

/// The ABI that the kernel offers; 0: it has no Landlock, or has it switched off, and `why` says so.
int landlock_abi(std::string& why);

/// Shuts the calling process in, and all that it will start. It has no_new_privs. Reads stay as they are: the mounts
/// decide those. Places that are not there are left out. Since ABI 4 TCP is shut as well (but for a debugger), since 6
/// signals to and abstract UNIX sockets of processes outside. Before ABI 2 it is left out, since files then can't be
/// moved between folders, which compilers do.
Result<void> enter_landlock(const WritePlaces& places, BoxTool tool);

inline constexpr int k_least_landlock_abi = 2;

}  // namespace kbv
