// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/families.h"
#include "judge/reference.h"

namespace kbv {

enum class DistributionStatus {
  ok,
  not_finite,
  inexact,    ///< families: the reference in its own type is far from itself in float64, so that no error could be judged
  no_oracle,  ///< families: it does not run in float64
  error,
  not_run,
};
const char* to_string(DistributionStatus status);

struct DistributionCheck {
  std::string name;  ///< "D1" to "D4"; or a family, "S1"...
  DistributionStatus status = DistributionStatus::not_run;
  std::string reason;
  /// Families, where the reference runs in float64: the largest relative error of an element and of a slice of its outputs, see
  /// src/worker/oracle.py, of right implementations in its own type.
  double e_max = 0, e_rms = 0;
  double tf32_e_rms = 0;  ///< of products in TF32; 0: there are none
};

/// What one problem file does: whether it loads, and whether its reference is finite under each distribution.
struct ProblemCheck {
  std::string path, sha256;
  std::optional<Error> error;  ///< it does not load, construct or run under D1
  std::vector<DistributionCheck> distributions;
  std::vector<DistributionCheck> families;  ///< if asked for
  std::uint64_t input_bytes = 0, output_bytes = 0, state_bytes = 0;
  std::size_t inputs = 0, outputs = 0;
  double seconds = 0;
};

/// Checks one problem in a worker that may have served others. After a check whose error is a crash, a timeout or a
/// CUDA error the worker is of no more use: `worker_spent` says so.
ProblemCheck check_problem(Reference& reference, const ProblemSpec& problem, bool families, bool& worker_spent);

}  // namespace kbv
