// SPDX-License-Identifier: MIT
// What the program process itself is bound by: resource limits, privileges, signals.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/process.h"

namespace kbv {

/// `shared_uid`: the user has processes outside the box, and the kernel counts them against the limit as well.
Result<void> apply_limits(const BoxLimits& limits, bool shared_uid);

/// Yields the CPU to whoever else wants it; to be called in a session of one's own.
void prefer_others();

/// The first to go when the machine runs out of memory.
void prefer_for_oom();

/// Default dispositions, nothing blocked.
void reset_signals();

/// No capability, none to be had by executing a file, and no key of the judge's session.
Result<void> drop_privileges();

/// Becomes `uid` and the group of the same number, with no other groups.
Result<void> become_user(uid_t uid);

}  // namespace kbv
