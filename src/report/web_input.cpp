// SPDX-License-Identifier: MIT
#include "report/web_input.h"

#include <algorithm>

namespace kbv {

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

const RunScore* score_of(const WebInput& input, std::size_t rule, std::size_t run) {
  if (rule >= input.rules.size()) return nullptr;
  const auto& runs = input.rules[rule].board.runs;
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const auto& one) { return one.run == input.runs[run]; });
  return found == runs.end() ? nullptr : &*found;
}

const GroupScore* group_of(const WebInput& input, std::size_t rule, std::size_t run, int level) {
  const RunScore* score = score_of(input, rule, run);
  if (!score || level == 0) return score ? &score->all : nullptr;
  const auto found =
      std::find_if(score->levels.begin(), score->levels.end(), [&](const auto& group) { return group.level == level; });
  return found == score->levels.end() ? nullptr : &*found;
}

CandidateIds::CandidateIds(const WebInput& input) {
  for (const WebCandidate& one : input.candidates) ids_[{one.run, one.problem, one.sample}] = one.id;
}

std::int64_t CandidateIds::of(std::size_t run, const ProblemScore& score) const {
  const auto found =
      score.best ? ids_.find({run, score.problem, *score.best}) : ids_.lower_bound({run, score.problem, 0});
  const bool its = found != ids_.end() && std::get<0>(found->first) == run && std::get<1>(found->first) == score.problem;
  return its ? found->second : 0;
}

}  // namespace kbv
