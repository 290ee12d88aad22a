// SPDX-License-Identifier: MIT
// The filter of system calls, and what it refused.
#pragma once

#include <linux/filter.h>

#include <functional>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "os/call_rules.h"
#include "os/process.h"

namespace kbv {

/// What the filter does with a call that a rule refuses.
enum class Refusal {
  quiet,   ///< it fails at once
  notice,  ///< it waits until who holds the listener lets it fail (see CallListener); silent rules stay quiet
};

/// The filter's program: a call by another architecture's entry ends the process, a refused one fails, any other passes.
std::vector<sock_filter> make_call_filter(const std::vector<CallRule>& rules, Refusal refusal);

/// Puts the filter on the calling process, which has one thread and no_new_privs, and on all that it will start. The
/// descriptor is for a CallListener in another process; there is none, and refusals stay unknown, where the kernel
/// gives no notices (before 5.0, or since a container's own filter takes them).
Result<Fd> install_call_filter(BoxTool tool);

/// Lets refused calls fail, and tells which they were. Its holder never waits for the program, and the program waits
/// for it in calls only that no honest kernel makes.
class CallListener {
 public:
  CallListener() = default;
  CallListener(Fd fd, BoxTool tool);

  int get() const { return fd_.get(); }  ///< readable when a call waits; -1: none
  /// Answers one that waits, if it still does. `tell` hears of each call once, before it has failed.
  void answer(const std::function<void(const RefusedCall&)>& tell);
  void close() { fd_.reset(); }

 private:
  Fd fd_;
  std::vector<CallRule> rules_;
  std::vector<bool> told_;  // by rules_
  std::size_t request_bytes_ = 0, response_bytes_ = 0;
};

}  // namespace kbv
