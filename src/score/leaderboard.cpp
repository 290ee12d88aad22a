// SPDX-License-Identifier: MIT
#include "score/leaderboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "score/metrics.h"

namespace kbv {
namespace {

/// One run's share of the input.
struct Run {
  std::string name;
  SamplesByProblem samples;           ///< of each, by sample number
  std::vector<std::size_t> problems;  ///< that it was to solve, ascending
  std::set<int> levels;               ///< in which it has a sample
};

std::vector<std::size_t> all_problems(const LeaderboardInput& input) {
  std::vector<std::size_t> all(input.problems.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<Run> runs_of(const LeaderboardInput& input) {
  std::map<std::string, Run> runs;
  for (const LeaderboardSample& sample : input.samples) {
    Run& run = runs[sample.run];
    run.samples.resize(input.problems.size());
    run.samples[sample.problem].push_back(&sample);
    run.levels.insert(input.problems[sample.problem].level);
  }
  std::vector<Run> list;
  for (auto& [name, run] : runs) {
    run.name = name;
    const auto given = input.problems_of.find(name);
    run.problems = given == input.problems_of.end() ? all_problems(input) : given->second;
    std::sort(run.problems.begin(), run.problems.end());
    for (auto& samples : run.samples)
      std::sort(samples.begin(), samples.end(), [](const auto* a, const auto* b) { return a->sample < b->sample; });
    list.push_back(std::move(run));
  }
  return list;
}

void count_samples(const std::vector<const LeaderboardSample*>& samples, GroupScore& group) {
  const int count = static_cast<int>(samples.size());
  group.samples += count;
  if (count > 0) group.fewest_samples = group.fewest_samples == 0 ? count : std::min(group.fewest_samples, count);
  group.most_samples = std::max(group.most_samples, count);
  for (const LeaderboardSample* sample : samples) ++group.codes[sample->score.code];
}

void count_outcome(const Outcome& outcome, bool memory, GroupScore& group) {
  ++group.problems;
  group.without_sample += outcome.samples == 0;
  if (outcome.correct == 0) return;
  ++group.solved;
  group.estimates += outcome.score->estimate;
  if (!outcome.speedup) ++group.without_speedup[outcome.score->why_no_speedup];
  group.without_memory += memory && !outcome.score->memory_ratio;
}

std::vector<DistributionFailures> distribution_failures(const Run& run, const std::vector<std::size_t>& problems) {
  std::map<std::string, DistributionFailures> by_name;
  for (const std::size_t problem : problems)
    for (const LeaderboardSample* sample : run.samples[problem]) {
      for (const std::string& name : sample->score.tried_distributions) ++by_name[name].tried;
      for (const std::string& name : sample->score.failed_distributions) ++by_name[name].failed;
    }
  std::vector<DistributionFailures> list;
  for (auto& [name, failures] : by_name) {
    failures.distribution = name;
    list.push_back(failures);
  }
  return list;
}

std::vector<ToleranceRow> tolerance_rows(const LeaderboardInput& input, const Run& run,
                                         const std::vector<std::size_t>& problems) {
  std::vector<ToleranceRow> rows;
  for (std::size_t i = 0; i < input.tolerances.size(); ++i) {
    Reading reading = own_reading();
    reading.score = [i](const LeaderboardSample& sample) {
      return i < sample.at_tolerance.size() ? &sample.at_tolerance[i] : nullptr;
    };
    std::vector<Outcome> outcomes;
    bool any = false;
    for (const std::size_t problem : problems)
      if (const Outcome outcome = outcome_of(run.samples[problem], reading); outcome.counts()) {
        outcomes.push_back(outcome);
        any |= outcome.judged > 0;
      }
    if (!any) continue;
    const std::vector<NamedFigure> figures = figures_of(main_columns(outcomes));
    rows.push_back({input.tolerances[i], figures[0].figure, figures[1].figure});
  }
  return rows;
}

/// `level` 0: all levels of the run.
GroupScore score_group(const LeaderboardInput& input, const Run& run, int level, const std::vector<int>& attempts) {
  GroupScore group;
  group.level = level;
  std::vector<std::size_t> problems;
  std::vector<Outcome> outcomes;
  for (const std::size_t problem : run.problems) {
    const LeaderboardProblem& facts = input.problems[problem];
    if (level == 0 ? run.levels.count(facts.level) == 0 : facts.level != level) continue;
    if (!facts.excluded.empty()) {
      ++group.excluded;
      continue;
    }
    problems.push_back(problem);
    count_samples(run.samples[problem], group);
    const Outcome outcome = outcome_of(run.samples[problem], own_reading());
    if (!outcome.counts()) {
      ++group.without_verdict;
      continue;
    }
    count_outcome(outcome, input.memory, group);
    outcomes.push_back(outcome);
  }
  group.figures = figures_of(all_columns(outcomes, input.memory, attempts));
  group.distributions = distribution_failures(run, problems);
  group.tolerances = tolerance_rows(input, run, problems);
  group.decomposition = decompose(input, run.samples, problems);
  return group;
}

ProblemScore score_problem(const LeaderboardInput& input, const Run& run, std::size_t problem) {
  const auto& samples = run.samples[problem];
  const Outcome outcome = outcome_of(samples, own_reading());
  ProblemScore score;
  score.problem = problem;
  score.samples = outcome.samples;
  score.judged = outcome.judged;
  score.correct = outcome.correct;
  score.counts = input.problems[problem].excluded.empty() && outcome.counts();
  const auto first_verdict =
      std::find_if(samples.begin(), samples.end(), [](const auto* sample) { return is_verdict(sample->score); });
  if (!samples.empty()) score.code = (first_verdict == samples.end() ? samples.front() : *first_verdict)->score.code;
  if (!outcome.best) return score;
  score.best = outcome.best->sample;
  score.code = outcome.score->code;
  score.speedup = outcome.speedup;
  score.memory_ratio = outcome.score->memory_ratio;
  return score;
}

RunScore score_run(const LeaderboardInput& input, const Run& run, const std::vector<int>& attempts) {
  RunScore score;
  score.run = run.name;
  score.all = score_group(input, run, 0, attempts);
  for (const int level : run.levels) score.levels.push_back(score_group(input, run, level, attempts));
  for (const std::size_t problem : run.problems)
    if (run.levels.count(input.problems[problem].level) > 0)
      score.problems.push_back(score_problem(input, run, problem));
  return score;
}

std::string unequal_problems(const std::vector<RunScore>& runs) {
  const auto counted = [](const RunScore& run) {
    std::vector<std::size_t> list;
    for (const ProblemScore& problem : run.problems)
      if (problem.counts) list.push_back(problem.problem);
    return list;
  };
  for (const RunScore& run : runs)
    if (counted(run) != counted(runs.front()))
      return "the runs do not stand for the same problems: compare them level by level, or not at all";
  return {};
}

}  // namespace

const Figure& GroupScore::figure(const std::string& name) const {
  static const Figure none;
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const NamedFigure& figure) { return figure.name == name; });
  return found == figures.end() ? none : found->figure;
}

Leaderboard make_leaderboard(const LeaderboardInput& input, const std::vector<int>& attempts) {
  Leaderboard board;
  board.protocol = input.protocol;
  board.baseline = input.baseline;
  board.statistic = input.statistic;
  board.fp32_baseline = input.fp32_baseline;
  board.tf32_baseline = input.tf32_baseline;
  board.tolerance = input.tolerance;
  board.memory = input.memory;
  board.problems = input.problems;
  board.notes = input.notes;
  for (const Run& run : runs_of(input)) board.runs.push_back(score_run(input, run, attempts));
  const auto rank = [](const RunScore& run) {
    return std::tuple(-run.all.figure("fast_1").value.value_or(-1), -run.all.figure("speedup").value.value_or(-1),
                      run.run);
  };
  std::sort(board.runs.begin(), board.runs.end(),
            [&](const RunScore& a, const RunScore& b) { return rank(a) < rank(b); });
  if (const std::string unequal = unequal_problems(board.runs); !unequal.empty()) board.notes.push_back(unequal);
  board.affected = affected_problems(input);
  return board;
}

}  // namespace kbv
