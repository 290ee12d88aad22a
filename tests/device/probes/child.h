// SPDX-License-Identifier: MIT
// A probe in a process of its own, since it may fault or hang.
#pragma once

#include <sys/types.h>

#include "base/clock.h"
#include "base/fd.h"
#include "probe.h"

namespace kbv::cuda::probes {

class Child {
 public:
  /// This program again: "probe NUMBER" with the options.
  static Result<Child> start(const Probe& probe, const Options& options, double limit_s);
  /// Its finding; `failed` with the reason if it ends without one, or not in time. It and its group are dead then.
  Finding wait();
  double seconds() const { return seconds_since(start_); }

 private:
  pid_t pid_ = -1;
  Fd result_;
  Clock::time_point start_;
  Deadline deadline_;
  double limit_s_ = 0;
};

/// What the child does: `arguments` from "probe" on. Returns its exit code.
int run_one_probe(const std::vector<std::string>& arguments);

}  // namespace kbv::cuda::probes
