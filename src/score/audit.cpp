// SPDX-License-Identifier: MIT
#include "score/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "score/check.h"

namespace kbv {
namespace {

/// Outputs that differ by less than this of their own size (rms) are the same up to rounding, where float64 does not
/// say.
constexpr double k_rounding = 1e-5;

Sight sight_of(const std::string& kind) {
  for (const char* vacuous : {"zeros", "constant", "other_draw", "first_sample", "input"})
    if (kind == vacuous) return Sight::vacuous;
  return kind == "tanh_gelu" || kind == "one_pass" || kind == "half" ? Sight::coarse : Sight::blind;
}

bool same_up_to_rounding(const CaseResult& result) {
  return result.ran && !result.outputs.empty() &&
         std::all_of(result.outputs.begin(), result.outputs.end(), [](const OutputCheck& output) {
           const CompareStats& stats = output.stats;
           if (stats.nonfinite > 0 || stats.count == 0) return false;
           return stats.unequal == 0 ||
                  (is_floating(output.dtype) && stats.sum_sq_diff <= k_rounding * k_rounding * stats.sum_sq_expected);
         });
}

/// What varies an argument, and changes nothing on any draw that the protocol looks at. One whose draws float64 judges
/// asks float64.
bool has_no_effect(const StandIn& stand_in, const Protocol& protocol) {
  bool any = false;
  for (const StandInCase& entry : stand_in.cases) {
    if (!audit_looks_at(protocol, entry.result) || entry.result.kind == "noise") continue;
    any = true;
    if (!(protocol.budget && entry.same_exact ? *entry.same_exact : same_up_to_rounding(entry.result))) return false;
  }
  return any;
}

/// The same function, as float64 tells on every draw; of a parameter, with other values for it as well, since one that
/// is zero as constructed is not there for nothing.
bool is_harmless(const StandIn& stand_in) {
  if (!may_do_nothing(stand_in)) return false;
  bool any = false, varied = false;
  for (const StandInCase& entry : stand_in.cases) {
    if (entry.result.kind == "noise") continue;  // no float64 there
    if (!entry.same_exact.value_or(false)) return false;
    any = true;
    varied |= entry.result.kind == "parameters";
  }
  return any && (varied || !stand_in.kind.ends_with("_parameter"));
}

/// The number of an input, or the name of a parameter; "" of what is neither.
std::string argument_of(const StandIn& stand_in) {
  if (stand_in.kind.ends_with("_parameter")) return "parameter " + stand_in.what;
  if (stand_in.kind.ends_with("_input")) return "input " + stand_in.what.substr(0, stand_in.what.find(' '));
  return "";
}

std::string short_words(const std::string& what) {
  const auto space = what.find(' ');
  return fmt::format("zeros in the last index of dimension {} of input {}", what.substr(space + 1),
                     what.substr(0, space));
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
  static const std::map<std::string, const char*> names{
      {"zeros", "zeros"},
      {"constant", "one constant"},
      {"other_draw", "another draw's output"},
      {"first_sample", "the first sample's output for all"},
      {"input", "input {} as it is"},
      {"skip_last", "zeros in the last index of dimension {}"},
      {"skip_tile", "zeros in the last tile"},
      {"other_input", "another input {}"},
      {"zero_input", "zeros for input {}"},
      {"negated_input", "input {} negated"},
      {"swapped_input", "input {} with two dimensions swapped"},
      {"varied_parameter", "another parameter {}"},
      {"zero_parameter", "zeros for parameter {}"},
      {"one_parameter", "ones for parameter {}"},
      {"swapped_parameter", "parameter {} with two dimensions swapped"},
      {"without", "no {}"},
      {"tanh_gelu", "GELU by tanh"},
      {"one_pass", "variances in one pass"},
      {"half", "{} inputs and parameters"}};
  if (stand_in.kind == "short_input") return short_words(stand_in.what);
  const auto found = names.find(stand_in.kind);
  return found == names.end() ? stand_in.kind + " " + stand_in.what
                              : fmt::format(fmt::runtime(found->second), stand_in.what);
}

bool audit_looks_at(const Protocol& protocol, const CaseResult& draw) {
  if (draw.kind == "hidden" && draw.distribution == "D1" && protocol.trials > 0) return true;
  return looks_at(protocol, draw);
}

std::optional<Rejection> first_rejection(const StandIn& stand_in, const Protocol& protocol) {
  Observation alone;  // no other case decides here
  alone.noise = stand_in.noise;
  for (const StandInCase& entry : stand_in.cases) {
    if (!audit_looks_at(protocol, entry.result)) continue;
    if (!entry.result.ran) return Rejection{&stand_in, entry.result.id, "it can't be made: " + entry.why_not};
    if (auto failure = case_failure(entry.result, alone, protocol, {}))
      return Rejection{&stand_in, entry.result.id, std::move(*failure)};
  }
  return {};
}

AuditOptions audit_options(const std::vector<Protocol>& protocols) {
  AuditOptions options;
  options.is_looked_at = [&protocols](const CaseResult& draw) {
    return std::any_of(protocols.begin(), protocols.end(),
                       [&](const Protocol& protocol) { return audit_looks_at(protocol, draw); });
  };
  options.is_open = [&protocols](const StandIn& stand_in, const CaseResult& draw) {
    return std::any_of(protocols.begin(), protocols.end(), [&](const Protocol& protocol) {
      return audit_looks_at(protocol, draw) && !first_rejection(stand_in, protocol);
    });
  };
  return options;
}

AuditVerdict judge_audit(const ProblemAudit& audit, const Protocol& protocol) {
  AuditVerdict verdict;
  if (audit.error || std::none_of(audit.draws.begin(), audit.draws.end(), [&](const CaseResult& draw) {
        return !draw.dropped && audit_looks_at(protocol, draw);
      }))
    return verdict;
  std::vector<std::string> dead;
  for (const StandIn& stand_in : audit.stand_ins)
    if (varies_an_argument(stand_in) && has_no_effect(stand_in, protocol)) {
      verdict.no_effect.push_back(&stand_in);
      dead.push_back(argument_of(stand_in));
    }
  verdict.sight = Sight::sound;
  for (const StandIn& stand_in : audit.stand_ins) {
    if (auto rejection = first_rejection(stand_in, protocol)) {
      verdict.rejected.push_back(std::move(*rejection));
      continue;
    }
    // To leave out what does not matter is right, however it is left out.
    const std::string argument = argument_of(stand_in);
    if (!argument.empty() && std::count(dead.begin(), dead.end(), argument) > 0) continue;
    if (is_harmless(stand_in)) {
      verdict.harmless.push_back(&stand_in);
      continue;
    }
    if (std::none_of(stand_in.cases.begin(), stand_in.cases.end(),
                     [&](const StandInCase& entry) { return audit_looks_at(protocol, entry.result); }))
      continue;  // it was never made for this protocol
    verdict.passing.push_back(&stand_in);
    verdict.sight = std::min(verdict.sight, sight_of(stand_in.kind));
  }
  std::stable_sort(verdict.passing.begin(), verdict.passing.end(),
                   [](const StandIn* a, const StandIn* b) { return sight_of(a->kind) < sight_of(b->kind); });
  const auto place = [&](const Rejection& rejection) {
    return std::find_if(audit.draws.begin(), audit.draws.end(),
                        [&](const CaseResult& draw) { return draw.id == rejection.draw; });
  };
  std::stable_sort(verdict.rejected.begin(), verdict.rejected.end(),
                   [&](const Rejection& a, const Rejection& b) { return place(a) < place(b); });
  return verdict;
}

}  // namespace kbv
