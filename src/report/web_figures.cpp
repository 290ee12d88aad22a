// SPDX-License-Identifier: MIT
#include "report/web_figures.h"

namespace kbv {
namespace {

WebFigure web_figure(const Figure& figure) {
  WebFigure shown;
  shown.value = figure.value;
  if (figure.interval) {
    shown.low = figure.interval->low;
    shown.high = figure.interval->high;
  }
  shown.problems = figure.problems;
  return shown;
}

WebGroup web_group(const GroupScore& group) {
  WebGroup shown;
  shown.level = group.level;
  shown.problems = group.problems;
  shown.solved = group.solved;
  shown.samples = group.samples;
  shown.without_verdict = group.without_verdict;
  shown.correct = web_figure(group.figure("correct"));
  shown.speedup = web_figure(group.figure("speedup"));
  shown.fast_1 = web_figure(group.figure("fast_1"));
  shown.memory = web_figure(group.figure("memory_efficiency"));
  shown.memory_efficient = web_figure(group.figure("memory_efficient"));
  for (const DistributionFailures& one : group.distributions)
    shown.distributions.push_back({one.distribution, one.tried, one.failed});
  return shown;
}

}  // namespace

WebRunScore web_run_score(const RunScore& run, const std::vector<std::size_t>& problems, const CandidateIds& ids) {
  WebRunScore shown;
  shown.groups.push_back(web_group(run.all));
  for (const GroupScore& group : run.levels) shown.groups.push_back(web_group(group));
  for (const ProblemScore& problem : run.problems) {
    if (problem.samples == 0) continue;
    WebBest best;
    best.problem = problems[problem.problem];
    best.code = problem.code;
    best.correct = problem.best.has_value();
    best.counts = problem.counts;
    best.speedup = problem.speedup;
    best.memory = problem.memory_ratio;
    // Without a correct one, the first: the reason is about one of them.
    const auto found =
        problem.best ? ids.find({run.run, best.problem, *problem.best}) : ids.lower_bound({run.run, best.problem, 0});
    if (found != ids.end() && std::get<0>(found->first) == run.run && std::get<1>(found->first) == best.problem)
      best.candidate = found->second;
    shown.best.push_back(std::move(best));
  }
  return shown;
}

WebVerdict web_verdict(const SampleScore& score) {
  WebVerdict shown;
  shown.code = score.code;
  shown.correct = score.correct;
  shown.speedup = score.speedup;
  shown.memory = score.memory_ratio;
  shown.resolved = !score.estimate;
  if (score.speed && score.speed->speedup.value > 0) {
    shown.low = score.speed->speedup.low;
    shown.high = score.speed->speedup.high;
  }
  return shown;
}

}  // namespace kbv
