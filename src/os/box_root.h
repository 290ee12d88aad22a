// SPDX-License-Identifier: MIT
// The root file system that a boxed program sees.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/process.h"

namespace kbv {

/// Where {box} is in a root of its own.
inline constexpr const char* k_box_folder = "/kbv";

enum class RootKind {
  minimal,  ///< system libraries and tools, the spec's paths and devices; nothing else of the host
  host,     ///< all of the host's files, read-only, but /tmp, /dev/shm and what others can't enter
};

/// Builds the root in the calling process's new mount namespace and enters it; the host's can't be reached any more.
/// The caller is pid 1 of a new pid namespace. `uid` (0: the caller's own) will own what is writable.
Result<void> enter_box_root(const LaunchSpec& spec, RootKind kind, uid_t uid);

}  // namespace kbv
