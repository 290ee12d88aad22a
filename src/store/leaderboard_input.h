// SPDX-License-Identifier: MIT
// What a leaderboard is made of, read from campaigns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/leaderboard.h"

namespace kbv {

struct LeaderboardRequest {
  std::string protocol = "attested";  ///< a protocol's name; or "recorded": what other harnesses recorded
  std::optional<double> tolerance;    ///< instead of the protocol's, for floating types; not of "recorded"
  std::vector<double> tolerances = {1e-2, 1e-3, 1e-4};  ///< of the sensitivity table
  /// The baseline that a speedup means; empty: the protocol's. Of "recorded": NAME@HARDWARE, or NAME if that is one
  /// only; empty: the only one.
  std::string baseline;
  std::string fp32_baseline = "eager";  ///< of the decomposition: "eager" or "tf32_off"
};

/// What `protocol` is called and what its figures mean; without problems, samples or tolerances.
LeaderboardInput input_for(const Protocol& protocol);

/// Reads the campaigns side by side, with one observation in memory at a time. Problems are one if level and number are
/// the same; with different bytes they are a usage error "other_problem" that names both files. A run of the same name
/// in several campaigns is one run, unless two of them hold the same sample: then each is a run of its own, NAME @
/// FILE.
Result<LeaderboardInput> read_leaderboard(const std::vector<std::string>& campaigns, const LeaderboardRequest& request);

}  // namespace kbv
