// SPDX-License-Identifier: MIT
// How many timed calls are enough: the judge decides, by a rule that looks at how well a time is known, never at how
// large it is.
#pragma once

#include <span>
#include <string>

namespace kbv {

struct SamplingLimits {
  int min_calls = 10, max_calls = 400;  ///< of each implementation
  double budget_s = 3;      ///< after min_calls, no further call begins beyond this
  double precision = 0.01;  ///< enough when the 95 % uncertainty of each net time is at most this part of it; 0: never
};

/// Half the 95 % interval of median(calls) - median(null), as a part of it; infinite if the difference isn't positive.
double net_time_uncertainty(std::span<const double> calls, std::span<const double> null);

/// Why no more calls are made: "precision", "time budget", "call limit"; empty: go on. `uncertainty` is the largest of
/// what is timed together.
std::string sampling_ends(const SamplingLimits& limits, int calls_done, double seconds, double uncertainty);

}  // namespace kbv
