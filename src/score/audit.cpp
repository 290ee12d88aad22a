// SPDX-License-Identifier: MIT
#include "score/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "score/check.h"

namespace kbv {
namespace {

/// Outputs that differ by less than this of their own size (rms) are the same up to rounding.
constexpr double k_rounding = 1e-5;

Sight sight_of(const std::string& kind) {
  for (const char* vacuous : {"zeros", "constant", "other_draw", "first_sample", "input"})
    if (kind == vacuous) return Sight::vacuous;
  return kind == "tanh_gelu" || kind == "half" ? Sight::coarse : Sight::blind;
}

/// Those that show whether an argument matters at all.
bool varies_an_argument(const StandIn& stand_in) {
  return stand_in.kind == "other_input" || stand_in.kind == "varied_parameter";
}

bool same_up_to_rounding(const StandInCase& entry) {
  return entry.made && std::all_of(entry.outputs.begin(), entry.outputs.end(), [](const OutputCheck& output) {
           const CompareStats& stats = output.stats;
           if (stats.nonfinite > 0) return false;
           return stats.unequal == 0 ||
                  (is_floating(output.dtype) && stats.sum_sq_diff <= k_rounding * k_rounding * stats.sum_sq_expected);
         });
}

bool has_no_effect(const StandIn& stand_in) {
  return !stand_in.cases.empty() && std::all_of(stand_in.cases.begin(), stand_in.cases.end(), same_up_to_rounding);
}

bool looked_at(const std::string& distribution, const Protocol& protocol) {
  const auto& hidden = protocol.distributions;
  return (distribution == "D1" && protocol.trials > 0) ||
         std::find(hidden.begin(), hidden.end(), distribution) != hidden.end();
}

bool passes(const StandIn& stand_in, const Protocol& protocol) {
  bool any = false;
  for (const StandInCase& entry : stand_in.cases) {
    if (!looked_at(entry.distribution, protocol)) continue;
    any = true;
    if (!entry.made) return false;
    for (const OutputCheck& output : entry.outputs)
      if (output_failure(output, protocol, {})) return false;
  }
  return any;
}

}  // namespace

std::string_view to_string(Sight sight) {
  switch (sight) {
    case Sight::not_judged:
      return "not judged";
    case Sight::vacuous:
      return "vacuous";
    case Sight::blind:
      return "blind";
    case Sight::coarse:
      return "coarse";
    case Sight::sound:
      return "sound";
  }
  return "?";
}

std::string stand_in_name(const StandIn& stand_in) {
  const std::string& what = stand_in.what;
  if (stand_in.kind == "zeros") return "zeros";
  if (stand_in.kind == "constant") return "one constant";
  if (stand_in.kind == "other_draw") return "another draw's output";
  if (stand_in.kind == "first_sample") return "the first sample's output for all";
  if (stand_in.kind == "input") return "input " + what + " as it is";
  if (stand_in.kind == "other_input") return "another input " + what;
  if (stand_in.kind == "zero_input") return "zeros for input " + what;
  if (stand_in.kind == "varied_parameter") return "another parameter " + what;
  if (stand_in.kind == "zero_parameter") return "zeros for parameter " + what;
  if (stand_in.kind == "one_parameter") return "ones for parameter " + what;
  if (stand_in.kind == "skip_last") return "zeros in the last index of dimension " + what;
  if (stand_in.kind == "without") return "no " + what;
  if (stand_in.kind == "tanh_gelu") return "GELU by tanh";
  return what + " inputs and parameters";
}

AuditVerdict judge_audit(const ProblemAudit& audit, const Protocol& protocol) {
  AuditVerdict verdict;
  if (audit.error || std::none_of(audit.distributions.begin(), audit.distributions.end(),
                                  [&](const std::string& name) { return looked_at(name, protocol); }))
    return verdict;
  for (const StandIn& stand_in : audit.stand_ins)
    if (varies_an_argument(stand_in) && has_no_effect(stand_in)) verdict.no_effect.push_back(&stand_in);
  // To leave out what does not matter is right, however it is left out.
  const auto of_dead_argument = [&](const StandIn& stand_in) {
    const bool input = stand_in.kind == "other_input" || stand_in.kind == "zero_input",
               parameter = stand_in.kind.ends_with("_parameter");
    return std::any_of(verdict.no_effect.begin(), verdict.no_effect.end(), [&](const StandIn* dead) {
      return dead->what == stand_in.what &&
             ((input && dead->kind == "other_input") || (parameter && dead->kind == "varied_parameter"));
    });
  };
  verdict.sight = Sight::sound;
  for (const StandIn& stand_in : audit.stand_ins) {
    if (of_dead_argument(stand_in) || !passes(stand_in, protocol)) continue;
    verdict.passing.push_back(&stand_in);
    verdict.sight = std::min(verdict.sight, sight_of(stand_in.kind));
  }
  std::stable_sort(verdict.passing.begin(), verdict.passing.end(),
                   [](const StandIn* a, const StandIn* b) { return sight_of(a->kind) < sight_of(b->kind); });
  return verdict;
}

}  // namespace kbv
