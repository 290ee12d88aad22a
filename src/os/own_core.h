// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <vector>

namespace kbv {

/// One CPU core for this thread alone, as far as that goes: while it spins, another thread on the same core would run at
/// little more than half its speed, now and then, and so would what is measured there. Pins the calling thread to the CPU it
/// is on, and keeps `processes`, with all their threads, off that core. Their main threads get one CPU, the same for all: CPUs of
/// a virtual machine may not be equally fast, and those that are compared run in turn. Does nothing on a machine of fewer than 4 CPUs;
/// processes of another user that may not be moved stay where they are.
class OwnCore {
 public:
  explicit OwnCore(const std::vector<pid_t>& processes);
  OwnCore(const OwnCore&) = delete;
  OwnCore& operator=(const OwnCore&) = delete;
  ~OwnCore();  ///< the calling thread may run anywhere again

 private:
  cpu_set_t before_{};
  bool pinned_ = false;
};

}  // namespace kbv
