// SPDX-License-Identifier: MIT
#include "judge/sampling.h"

#include <cmath>
#include <limits>

#include "base/statistics.h"

namespace kbv {

double net_time_uncertainty(std::span<const double> calls, std::span<const double> null) {
  const double net = median(calls) - median(null);
  if (!(net > 0)) return std::numeric_limits<double>::infinity();
  return 1.96 * std::hypot(median_error(calls), median_error(null)) / net;
}

std::string sampling_ends(const SamplingLimits& limits, int calls_done, double seconds, double uncertainty) {
  if (calls_done >= limits.max_calls) return "call limit";
  if (calls_done < limits.min_calls) return "";
  if (uncertainty <= limits.precision) return "precision";
  return seconds >= limits.budget_s ? "time budget" : "";
}

}  // namespace kbv
