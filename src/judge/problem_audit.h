// SPDX-License-Identifier: MIT
// What a problem's check can see: outputs that take less than the problem's work are compared with the reference's, as
// a candidate's would be. The reference alone is run. What a protocol makes of it is in score/audit.h.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "judge/observation.h"
#include "judge/reference.h"

namespace kbv {

/// One stand-in under one distribution.
struct StandInCase {
  std::string distribution;  ///< "D1" to "D4"
  bool made = false;
  std::string why_not;
  std::vector<OutputCheck> outputs;  ///< against the reference's; empty if it was not made
};

/// An output that a candidate could give without doing all of the work.
struct StandIn {
  /// "zeros", "constant", "other_draw", "first_sample", "input"; "other_input", "zero_input", "varied_parameter",
  /// "zero_parameter", "one_parameter", "skip_last", "without"; "tanh_gelu", "half". See src/worker/stand_ins.py.
  std::string kind;
  std::string what;  ///< an input's number, a parameter's name, a dimension, a function, a type; or empty
  std::vector<StandInCase> cases;
};

struct ProblemAudit {
  std::string path, sha256;
  std::optional<Error> error;  ///< the reference fails under D1
  /// Distributions under which the reference ran and was finite, of those asked for.
  std::vector<std::string> distributions;
  std::vector<StandIn> stand_ins;
  std::uint64_t parameters_left_out = 0;  ///< of very many, the first 32 are looked at
  double seconds = 0;
};

/// `worker_spent`: as for check_problem. `device_use` is held while the judge itself uses the device.
ProblemAudit audit_problem(Device& device, std::mutex& device_use, Reference& reference, const ProblemSpec& problem,
                           bool& worker_spent);

}  // namespace kbv
