// SPDX-License-Identifier: MIT
// What a speedup owes to its baseline and to easy inputs, as the paper takes it apart.
#include <algorithm>
#include <map>
#include <set>

#include "score/metrics.h"

namespace kbv {
namespace {

/// The paper: a problem is affected by TF32 if a speedup drops by at least this part.
constexpr double k_relative_drop = 0.5;

/// A CPU has no TF32, so that eager stands for both.
std::optional<double> speedup_over(const SampleScore& score, const std::string& baseline) {
  auto found = score.speedup_by_baseline.find(baseline);
  if (found == score.speedup_by_baseline.end() && score.host) found = score.speedup_by_baseline.find("eager");
  return found == score.speedup_by_baseline.end() ? std::nullopt : std::optional(found->second);
}

bool both_judged(const LeaderboardSample& sample) {
  return sample.standard && sample.hidden && is_verdict(*sample.standard) && is_verdict(*sample.hidden);
}

struct Effects {
  bool tf32 = false, hidden = false;
};

Effects effects_on(const LeaderboardInput& input, const LeaderboardSample& sample) {
  Effects effects;
  if (!both_judged(sample) || !sample.standard->correct) return effects;
  effects.hidden = !sample.hidden->correct;
  const auto fp32 = speedup_over(*sample.standard, input.fp32_baseline),
             tf32 = speedup_over(*sample.standard, input.tf32_baseline);
  effects.tf32 = fp32 && tf32 && 1 - *tf32 / *fp32 >= k_relative_drop;
  return effects;
}

void count(AffectedProblems& affected, const Effects& effects) {
  ++(effects.tf32     ? (effects.hidden ? affected.both : affected.tf32_only)
     : effects.hidden ? affected.hidden_only
                      : affected.neither);
}

}  // namespace

std::optional<Decomposition> decompose(const LeaderboardInput& input, const SamplesByProblem& samples,
                                       std::span<const std::size_t> problems) {
  Decomposition made;
  bool any = false;
  for (const std::size_t problem : problems)
    for (const LeaderboardSample* sample : samples[problem]) {
      any |= both_judged(*sample);
      made.host |= sample->hidden && sample->hidden->host;
    }
  if (!any) return {};
  for (const int baseline : {0, 1})
    for (const int tests : {0, 1}) {
      const std::string& name = baseline == 0 ? input.fp32_baseline : input.tf32_baseline;
      Reading reading;
      reading.score = [tests](const LeaderboardSample& sample) -> const SampleScore* {
        return !both_judged(sample) ? nullptr : tests == 0 ? &*sample.standard : &*sample.hidden;
      };
      reading.speedup = [&name](const SampleScore& score) { return speedup_over(score, name); };
      std::vector<Outcome> outcomes;
      for (const std::size_t problem : problems)
        if (const Outcome outcome = outcome_of(samples[problem], reading); outcome.counts())
          outcomes.push_back(outcome);
      const std::vector<NamedFigure> figures = figures_of(main_columns(outcomes));
      made.cells[static_cast<std::size_t>(baseline)][static_cast<std::size_t>(tests)] = {
          figures[0].figure, figures[1].figure, figures[2].figure};
    }
  return made;
}

std::vector<AffectedProblems> affected_problems(const LeaderboardInput& input) {
  std::map<std::size_t, Effects> found;  // of problems of which something is known
  for (const LeaderboardSample& sample : input.samples) {
    if (!input.problems[sample.problem].excluded.empty() || !both_judged(sample)) continue;
    const Effects effects = effects_on(input, sample);
    Effects& problem = found[sample.problem];
    problem.tf32 |= effects.tf32;
    problem.hidden |= effects.hidden;
  }
  if (found.empty()) return {};
  std::map<int, AffectedProblems> levels;
  for (const auto& [problem, effects] : found)
    for (const int level : {0, input.problems[problem].level}) {
      levels[level].level = level;
      count(levels[level], effects);
    }
  std::vector<AffectedProblems> affected;
  for (const auto& [level, counts] : levels) affected.push_back(counts);
  return affected;
}

}  // namespace kbv
