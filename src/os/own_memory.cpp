// SPDX-License-Identifier: MIT
// The judge's memory holds the seed, the expected outputs and the clock. A box without a user of its own (the judge is
// no root, and there are no user namespaces) runs as the judge's user, whose processes may otherwise trace each other,
// read /proc/PID/mem and find a core file.
#include <sys/prctl.h>
#include <sys/resource.h>

#include "os/process.h"

namespace kbv {

Result<void> hide_own_memory() {
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_CORE, &none) != 0) return fail_errno("RLIMIT_CORE");
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_errno("PR_SET_DUMPABLE");
  return {};
}

}  // namespace kbv
