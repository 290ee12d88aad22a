// SPDX-License-Identifier: MIT
// What a problem's check can see: outputs that take less than the problem's work are compared with the reference's, as
// a candidate's would be. The reference alone is run. What a protocol makes of it is in score/audit.h.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "judge/observation.h"
#include "judge/reference.h"

namespace kbv {

/// One stand-in on one draw.
struct StandInCase {
  /// As of a candidate that gives the stand-in's output; `ran` is false if it could not be made. In families and with
  /// other parameters its outputs were compared with float64 only.
  CaseResult result;
  std::string why_not;  ///< why it could not be made
  /// Whether the same change of the reference in float64 gives the same output but for rounding: false as soon as that
  /// is seen not to be; nothing where it was not asked, or float64 can't be had.
  std::optional<bool> same_exact;
};

/// An output that a candidate could give without doing all of the work.
struct StandIn {
  /// "zeros", "constant", "other_draw", "first_sample", "input"; "skip_last", "skip_tile", "other_input", "zero_input",
  /// "negated_input", "short_input", "swapped_input", "varied_parameter", "zero_parameter", "one_parameter",
  /// "swapped_parameter", "without"; "tanh_gelu", "one_pass", "half". See src/worker/stand_ins.py.
  std::string kind;
  std::string
      what;  ///< an input's number (and a dimension), a parameter's name, a dimension, a function, a type; or empty
  std::vector<StandInCase> cases;  ///< in order; none after the draw from which on nobody wanted more
  /// Of a forward that draws random numbers in training: what is normal there, and as soon as a case of kind "noise" asks, how this
  /// stand-in's numbers are distributed.
  std::optional<Noise> noise = {};
};

/// Whether it shows, by varying one argument and nothing else, whether that argument matters.
bool varies_an_argument(const StandIn& stand_in);
/// Whether it leaves out or changes an argument or a part of one, or a part of the output: what may do nothing at all.
bool may_do_nothing(const StandIn& stand_in);

struct ProblemAudit {
  std::string path, sha256;
  std::optional<Error> error;  ///< the reference fails under D1
  /// What was drawn, without outputs: "hidden" (D1 to D4), "family", "parameters"; those that were dropped too. Not
  /// those that no stand-in was left for.
  std::vector<CaseResult> draws;
  std::vector<StandIn> stand_ins;
  std::uint64_t parameters_left_out = 0;  ///< of very many, the first 32 are looked at
  std::string
      parameters_note;  ///< why there are no draws with other parameters; empty if there are, or nobody wanted them
  double seconds = 0;
};

struct AuditOptions {
  /// Whether somebody looks at draws like this one.
  std::function<bool(const CaseResult&)> is_looked_at;
  /// Whether somebody who looks at draws like this one has accepted the stand-in so far: else it is not made there.
  std::function<bool(const StandIn&, const CaseResult&)> is_open;
};

/// `worker_spent`: as for check_problem. `device_use` is held while the judge itself uses the device.
ProblemAudit audit_problem(Device& device, std::mutex& device_use, Reference& reference, const ProblemSpec& problem,
                           const AuditOptions& options, bool& worker_spent);

}  // namespace kbv
