// SPDX-License-Identifier: MIT
// The paper's metrics over many samples: a pure function of stored observations. docs/scoring.md defines every figure
// and its edge cases.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "score/protocol.h"

namespace kbv {

/// What one protocol makes of one sample; small, so that thousands fit in memory where their observations do not.
struct SampleScore {
  /// Verdict::code; "not_run": there is no observation. That one, and those that is_verdict() denies, are no verdict on
  /// the sample.
  std::string code = "not_run";
  bool correct = false;
  std::optional<bool> robust, strict;
  /// Over the protocol's own baseline, by its own statistic, finite and above 0; of a correct one that has one.
  std::optional<double> speedup;
  std::string why_no_speedup;          ///< of a correct one without: "not_timed", "no_baseline", "not_resolvable"
  bool estimate = false;               ///< `speedup` counts although the measurement does not bear it out
  bool surely_faster = false;          ///< the whole 95 % interval of the sample's own speedup is above 1
  std::optional<SpeedScore> speed;     ///< where `speedup` comes from, unless another harness recorded it
  std::optional<double> memory_ratio;  ///< of a correct one: baseline peak / candidate peak
  /// Of each baseline that was timed, the own one among them: the speedup by the same statistic, by name.
  std::map<std::string, double> speedup_by_baseline;
  /// "D1" to "D4": those in which it was called, whatever the protocol needs; and of those, where it was wrong or
  /// failed.
  std::vector<std::string> tried_distributions, failed_distributions;
  bool host = false;  ///< on a CPU, where there is no TF32
};

/// Whether it says anything of the candidate.
bool is_verdict(const SampleScore& score);

SampleScore score_sample(const Observation& observation, const Protocol& protocol,
                         std::optional<double> tolerance = {});

/// The same of a verdict that judge_observation() made by `protocol`: nothing is reckoned twice.
SampleScore score_sample(const Observation& observation, const Protocol& protocol, const Verdict& verdict);

struct LeaderboardProblem {
  int level = 0, number = 0;
  std::string name;
  std::string excluded;  ///< why it counts for nobody; empty: it counts
  std::string sha256;    ///< of its bytes; empty if they are not known
};

/// Why the rules of `protocol` leave out the problem with these bytes; empty: they do not.
std::string exclusion(const std::string& protocol, const std::string& sha256);

struct LeaderboardSample {
  std::string run;
  std::size_t problem = 0;  ///< index in LeaderboardInput::problems
  int sample = 0;
  SampleScore score;
  /// The same sample by the paper's rules, with the inputs as given (D1) and with all four distributions; for the
  /// decomposition.
  std::optional<SampleScore> standard, hidden;
  /// One for each of LeaderboardInput::tolerances, or none; by the paper's rules where the protocol has a budget.
  std::vector<SampleScore> at_tolerance;
};

/// All that a leaderboard makes of one observation: `score` by `protocol`, and the rest. Run, problem and sample are
/// left as they are.
LeaderboardSample score_fully(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance,
                              const std::vector<double>& tolerances);

/// The same of a verdict that judge_observation() made by `protocol`, with its tolerance.
LeaderboardSample score_verdict_fully(const Observation& observation, const Protocol& protocol, const Verdict& verdict,
                                      const std::vector<double>& tolerances);

struct LeaderboardInput {
  std::string protocol;                                            ///< its name, or "recorded"
  std::string baseline;                                            ///< that its speedup means, as the protocol names it
  std::string statistic;                                           ///< which time counts, for people
  std::optional<double> tolerance;                                 ///< what replaced the protocol's
  std::vector<double> tolerances;                                  ///< of the sensitivity table
  bool memory = false;                                             ///< it has a memory score
  std::string fp32_baseline = "eager", tf32_baseline = "tf32_on";  ///< of the decomposition
  std::vector<LeaderboardProblem> problems;
  std::vector<LeaderboardSample> samples;
  /// Problems that each run was to solve, as indices; a run that is not here: all.
  std::map<std::string, std::vector<std::size_t>> problems_of;
  std::vector<std::string> notes;  ///< what a reader must know, found while reading
};

/// A figure over problems.
struct Figure {
  std::optional<double> value;       ///< nothing: no problem counts in it
  std::optional<Interval> interval;  ///< 95 %, by bootstrap over problems; nothing if fewer than two problems count
  int problems = 0;                  ///< that count in it
};

/// Shares are from 0 to 1.
struct NamedFigure {
  /// "correct", "speedup", "fast_0" to "fast_2", "surely_faster", "fallback_speedup", "memory_efficiency",
  /// "memory_efficient", "robust", "strict", "pass_at_K"; see docs/scoring.md.
  std::string name;
  Figure figure;
};

struct DistributionFailures {
  std::string distribution;   ///< "D1" to "D4"
  int tried = 0, failed = 0;  ///< samples
};

struct ToleranceRow {
  double tolerance = 0;  ///< atol = rtol of every floating type
  Figure correct, speedup;
};

/// The 2x2 decomposition. [0] of the first index is the FP32 baseline, [1] TF32; of the second, standard tests and
/// hidden ones.
struct Decomposition {
  struct Cell {
    Figure correct, speedup, fast_1;
  };
  std::array<std::array<Cell, 2>, 2> cells;
  bool host = false;  ///< a sample ran on a CPU: both baselines are the same there
};

/// One run on one level, or on all of its levels.
struct GroupScore {
  int level = 0;            ///< 0: all
  int problems = 0;         ///< that count: the denominator of every share
  int solved = 0;           ///< with a correct sample
  int without_sample = 0;   ///< count, as not solved
  int excluded = 0;         ///< do not count: by the protocol's rules
  int without_verdict = 0;  ///< do not count: no sample of it has a verdict, and that is not the run's fault
  int estimates = 0;        ///< solved ones whose speedup the measurement does not bear out, and counts
  std::map<std::string, int>
      without_speedup;     ///< solved ones that are in no mean of speedups, by SampleScore::why_no_speedup
  int without_memory = 0;  ///< solved ones whose best sample has no memory ratio
  int samples = 0;         ///< of problems that are not excluded
  int fewest_samples = 0, most_samples = 0;  ///< of a problem that has any
  std::map<std::string, int> codes;          ///< samples by SampleScore::code
  std::vector<NamedFigure> figures;
  std::vector<DistributionFailures> distributions;
  std::vector<ToleranceRow> tolerances;
  std::optional<Decomposition> decomposition;

  /// The figure of that name; an empty one if there is none.
  const Figure& figure(const std::string& name) const;
};

/// What a run reached on one problem.
struct ProblemScore {
  std::size_t problem = 0;  ///< index in Leaderboard::problems
  int samples = 0, judged = 0, correct = 0;
  bool counts = false;
  std::optional<int> best;  ///< the sample that counts, if one is correct
  std::string
      code;  ///< its code; else the first sample's that has a verdict, else the first sample's; empty: no sample
  std::optional<double> speedup, memory_ratio;  ///< of the best
};

struct RunScore {
  std::string run;
  GroupScore all;
  std::vector<GroupScore> levels;      ///< those in which it has a sample
  std::vector<ProblemScore> problems;  ///< that it was to solve, in order
};

/// The paper's "problems affected", by any run.
struct AffectedProblems {
  int level = 0;  ///< 0: all
  int tf32_only = 0, hidden_only = 0, both = 0, neither = 0;
};

struct Leaderboard {
  std::string protocol, baseline, statistic, fp32_baseline, tf32_baseline;
  std::optional<double> tolerance;
  bool memory = false;  ///< it has a memory score
  std::vector<LeaderboardProblem> problems;
  std::vector<RunScore> runs;              ///< by fast_1, then speedup, both descending, then name
  std::vector<AffectedProblems> affected;  ///< all levels first; empty where nothing is known of it
  std::vector<std::string> notes;          ///< what a reader must know
};

/// The unbiased estimate of the chance that one of `attempts` samples is correct, of `samples` of which `correct` are.
/// Needs attempts <= samples.
double pass_at(int attempts, int samples, int correct);

/// `attempts` are the k of pass@k.
Leaderboard make_leaderboard(const LeaderboardInput& input, const std::vector<int>& attempts = {1, 5});

}  // namespace kbv
