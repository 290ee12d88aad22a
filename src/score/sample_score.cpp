// SPDX-License-Identifier: MIT
// One sample by one protocol: docs/scoring.md, "Which time counts".
#include <algorithm>
#include <cmath>
#include <functional>

#include "problem/known_problems.h"
#include "score/leaderboard.h"
#include "score/scores.h"

namespace kbv {
namespace {

using Speeds = std::function<const std::vector<SpeedScore>&()>;

/// The speedup that counts, if the times have one that does.
std::optional<double> counted_speedup(const SpeedScore& score) {
  const std::optional<double> value = score.means      ? std::optional(score.means->speedup)
                                      : score.resolved ? std::optional(score.speedup.value)
                                                       : std::nullopt;
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

void add_speeds(const Observation& observation, const Protocol& protocol, const std::vector<SpeedScore>& speeds,
                SampleScore& score) {
  for (const SpeedScore& speed : speeds)
    if (const auto value = counted_speedup(speed)) score.speedup_by_baseline[speed.baseline] = *value;
  if (!speeds.empty()) {
    score.speed = speeds.front();
    score.speedup = counted_speedup(speeds.front());
    score.estimate = score.speedup && !speeds.front().resolved;
    score.surely_faster = speeds.front().resolved && speeds.front().speedup.low > 1;
  }
  if (!score.speedup)
    score.why_no_speedup = speeds.empty()                                                ? "not_timed"
                           : baseline_samples(observation, protocol).attested_us.empty() ? "no_baseline"
                                                                                         : "not_resolvable";
}

/// Of the hidden cases, which say something of the candidate, and what.
void add_distributions(const Observation& observation, const Protocol& protocol, const Verdict& verdict,
                       SampleScore& score) {
  bool failed_before = false;  // cases that were not reached say nothing
  for (std::size_t i = 0; i < observation.cases.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    if (result.dropped) continue;
    const bool failed_here =
        !result.ran && !failed_before && observation.fault && observation.fault->fault == Fault::candidate;
    failed_before |= !result.ran;
    if (result.kind != "hidden" || (protocol.budget && result.outside_domain) || (!result.ran && !failed_here))
      continue;
    score.tried_distributions.push_back(result.distribution);
    if (failed_here || verdict.cases[i].state == CaseVerdict::State::failed)
      score.failed_distributions.push_back(result.distribution);
  }
}

SampleScore score_verdict(const Observation& observation, const Protocol& protocol, const Verdict& verdict,
                          const Speeds& speeds) {
  SampleScore score;
  score.code = verdict.code;
  score.correct = verdict.correct;
  score.robust = verdict.robust;
  score.strict = verdict.strict;
  score.host = observation.machine.backend == "host";
  if (is_verdict(score)) add_distributions(observation, protocol, verdict, score);
  if (!score.correct) return score;
  add_speeds(observation, protocol, speeds(), score);
  if (protocol.memory)
    if (const auto memory = score_memory(observation, protocol);
        memory && std::isfinite(memory->ratio) && memory->ratio > 0)
      score.memory_ratio = memory->ratio;
  return score;
}

SampleScore score_by(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance,
                     const Speeds& speeds) {
  return score_verdict(observation, protocol, judge_correctness(observation, protocol, tolerance), speeds);
}

/// Times are made once, however many readings of the observation need them.
Speeds speeds_once(const Observation& observation, const Protocol& protocol) {
  return [&observation, &protocol,
          made = std::optional<std::vector<SpeedScore>>()]() mutable -> const std::vector<SpeedScore>& {
    if (!made) made = score_speed(observation, protocol);
    return *made;
  };
}

/// The paper's rules; "standard" is them with the inputs as given only, so that nothing but the inputs differs.
const std::pair<Protocol, Protocol>& paper_rules() {
  static const std::pair<Protocol, Protocol> rules = [] {
    const Protocol hidden = find_protocol("verified").value();
    Protocol standard = hidden;
    standard.distributions = {"D1"};
    return std::pair(standard, hidden);
  }();
  return rules;
}

/// The readings of a sample beside the protocol's own; `own` are the times by the protocol.
void read_otherwise(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance,
                    const Speeds& own, const std::vector<double>& tolerances, LeaderboardSample& sample) {
  const auto& [standard, hidden] = paper_rules();
  const Speeds papers = protocol.name == hidden.name ? Speeds(std::cref(own)) : speeds_once(observation, hidden);
  sample.standard = score_by(observation, standard, tolerance, papers);
  sample.hidden = score_by(observation, hidden, tolerance, papers);
  // A tolerance has no meaning for families of inputs of all sizes, which only a budget can judge.
  const bool by_paper = protocol.budget.has_value();
  for (const double other : tolerances)
    sample.at_tolerance.push_back(score_by(observation, by_paper ? hidden : protocol, other, by_paper ? papers : own));
}

}  // namespace

bool is_verdict(const SampleScore& score) {
  return score.code != "not_run" && is_verdict(score.code);
}

SampleScore score_sample(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance) {
  return score_by(observation, protocol, tolerance, speeds_once(observation, protocol));
}

SampleScore score_sample(const Observation& observation, const Protocol& protocol, const Verdict& verdict) {
  return score_verdict(observation, protocol, verdict,
                       [&verdict]() -> const std::vector<SpeedScore>& { return verdict.speed; });
}

LeaderboardSample score_fully(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance,
                              const std::vector<double>& tolerances) {
  const Speeds own = speeds_once(observation, protocol);
  LeaderboardSample sample;
  sample.score = score_by(observation, protocol, tolerance, own);
  read_otherwise(observation, protocol, tolerance, own, tolerances, sample);
  return sample;
}

LeaderboardSample score_verdict_fully(const Observation& observation, const Protocol& protocol, const Verdict& verdict,
                              const std::vector<double>& tolerances) {
  LeaderboardSample sample;
  sample.score = score_sample(observation, protocol, verdict);
  read_otherwise(observation, protocol, verdict.tolerance, [&verdict]() -> const std::vector<SpeedScore>& { return verdict.speed; },
                 tolerances, sample);
  return sample;
}

std::string exclusion(const std::string& protocol, const std::string& sha256) {
  const KnownProblem* known = sha256.empty() ? nullptr : find_known_problem(sha256);
  if (!known) return {};
  const bool by_authors = std::count(known->excluded_by.begin(), known->excluded_by.end(), protocol) > 0;
  return by_authors || protocol == "attested" ? known->vacuous : std::string();
}

}  // namespace kbv
