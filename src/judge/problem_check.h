// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/reference.h"

namespace kbv {

enum class DistributionStatus { ok, not_finite, error, not_run };
const char* to_string(DistributionStatus status);

struct DistributionCheck {
  std::string name;  ///< "D1" to "D4"
  DistributionStatus status = DistributionStatus::not_run;
  std::string reason;
};

/// What one problem file does: whether it loads, and whether its reference is finite under each distribution.
struct ProblemCheck {
  std::string path, sha256;
  std::optional<Error> error;  ///< it does not load, construct or run under D1
  std::vector<DistributionCheck> distributions;
  std::uint64_t input_bytes = 0, output_bytes = 0, state_bytes = 0;
  std::size_t inputs = 0, outputs = 0;
  double seconds = 0;
};

/// Checks one problem in a worker that may have served others. After a check whose error is a crash, a timeout or a
/// CUDA error the worker is of no more use: `worker_spent` says so.
ProblemCheck check_problem(Reference& reference, const ProblemSpec& problem, bool& worker_spent);

}  // namespace kbv
