// SPDX-License-Identifier: MIT
// The paper's metrics over many samples: a pure function of stored observations. docs/scoring.md defines every figure and its edge cases.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "score/protocol.h"

namespace kbv {

/// What one protocol makes of one sample; small, so that thousands fit in memory where their observations do not.
struct SampleScore {
  std::string code = "not_run";  ///< Verdict::code; "not_run": there is no observation
  bool correct = false;
  std::optional<bool> robust, strict;
  std::optional<SpeedScore> speed;       ///< against the protocol's own baseline, of a correct one that was timed
  std::optional<double> memory_ratio;    ///< of a correct one
  std::optional<double> recorded_speedup;  ///< of results that another harness recorded, instead of `speed`
  /// Of every other baseline that was timed: its speedup, by name.
  std::map<std::string, double> speedup_by_baseline;
  std::vector<std::string> failed_distributions;  ///< "D1" to "D4", of those that ran and are wrong
};

SampleScore score_sample(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance = {});

struct LeaderboardProblem {
  int level = 0, number = 0;
  std::string name;
  std::string excluded;  ///< why it counts for nobody; empty: it counts
};

struct LeaderboardSample {
  std::string run;
  std::size_t problem = 0;  ///< index in LeaderboardInput::problems
  int sample = 0;
  SampleScore score;
};

struct LeaderboardInput {
  std::vector<LeaderboardProblem> problems;
  std::vector<LeaderboardSample> samples;
};

}  // namespace kbv
