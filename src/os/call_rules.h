// SPDX-License-Identifier: MIT
// The system calls that a boxed program is refused, and why each.
#pragma once

#include <cstdint>
#include <vector>

#include "os/process.h"

namespace kbv {

/// When a listed call is refused. `argument` and `values` are of its low 32 bits, which is all that these calls look at.
enum class CallTest {
  always,
  any_bit,  ///< the argument has a bit of values[0]
  any_of,   ///< the argument is one of the values
  none_of,  ///< the argument is none of the values
};

/// Who makes such a call.
enum class Caller {
  attack,  ///< nobody who computes a kernel: the call reaches for other processes, the kernel or the machine
  probe,   ///< libraries too, to learn whether they may; they go on without it
  silent,  ///< every honest program, which then does it in another way: not told to the judge
};

struct CallRule {
  const char* name;
  long number;
  Caller caller;
  int error;           ///< what the call fails with
  const char* reason;  ///< why it is refused
  CallTest test = CallTest::always;
  unsigned argument = 0;
  std::vector<std::uint32_t> values = {};
};

/// The rules, each number once. What is not listed is allowed: the list names what has no use in a box, so that a new
/// release of CUDA or PyTorch is not broken by a call that nobody thought of; what the calls that stay can reach is
/// bounded by the namespaces, by Landlock, and by having no capability.
std::vector<CallRule> call_rules(BoxTool tool);

}  // namespace kbv
