// SPDX-License-Identifier: MIT
// Figures over the problems of one run and one group. Private to the leaderboard.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "score/leaderboard.h"

namespace kbv {

/// One way to read samples. `score` may give null: that says nothing. `speedup` is asked of correct ones.
struct Reading {
  std::function<const SampleScore*(const LeaderboardSample&)> score;
  std::function<std::optional<double>(const SampleScore&)> speedup;
};
/// By the protocol itself.
Reading own_reading();

/// What the samples of one run on one problem come to, by one reading.
struct Outcome {
  int samples = 0, judged = 0, correct = 0;
  const LeaderboardSample* best =
      nullptr;  ///< the fastest correct one; of those without a speedup, and of equals, the first
  const SampleScore* score = nullptr;  ///< of that one, by the reading
  std::optional<double> speedup;       ///< of that one

  /// Whether the problem counts for the run: a sample has a verdict, or there is no sample at all, which is the run's
  /// own doing.
  bool counts() const { return judged > 0 || samples == 0; }
};
Outcome outcome_of(std::span<const LeaderboardSample* const> samples, const Reading& reading);

/// A figure to be made of one value for each problem that counts.
struct Column {
  std::string name;
  WeightedValues values;
  bool geometric = false;  ///< values are logarithms, the figure is the exponential of their mean
};

/// The columns that every table has: "correct", "speedup" and "fast_1". `outcomes` are of problems that count.
std::vector<Column> main_columns(const std::vector<Outcome>& outcomes);
/// All of them.
std::vector<Column> all_columns(const std::vector<Outcome>& outcomes, bool memory, const std::vector<int>& attempts);

/// One figure for each column, with its interval.
std::vector<NamedFigure> figures_of(const std::vector<Column>& columns);

/// Samples of one run by problem: entry i belongs to problem i of the input.
using SamplesByProblem = std::vector<std::vector<const LeaderboardSample*>>;

/// The four cells over `problems`, nothing if no sample has the readings that it needs.
std::optional<Decomposition> decompose(const LeaderboardInput& input, const SamplesByProblem& samples,
                                       std::span<const std::size_t> problems);

/// Over all runs, of problems that are not excluded and of which a sample was judged. Empty if there is none.
std::vector<AffectedProblems> affected_problems(const LeaderboardInput& input);

}  // namespace kbv
