// SPDX-License-Identifier: MIT
// From an observation to a verdict. The order of the rules is the order of decide() and docs/protocols.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "score/check.h"
#include "score/noise.h"
#include "score/protocol.h"
#include "score/scores.h"

namespace kbv {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

struct Decision {
  std::string code;
  std::string reason;
  std::string worst_case;
};

/// A candidate's fault, under a code that can't be taken for another kind of verdict.
Decision candidate_fault(const Error& fault, std::string worst_case = {}) {
  const bool reserved = fault.code.empty() || fault.code == "correct" || !is_verdict(fault.code);
  return {reserved ? "runtime_error" : fault.code, fault.message, std::move(worst_case)};
}

Decision incomplete(const std::string& what, std::string worst_case = {}) {
  return {"machine_error", "incomplete: " + what, std::move(worst_case)};
}

/// What nobody asked the evaluation for, with the options that leave it out.
Decision not_tried(const std::string& what) { return {"not_tried", what + ", so this protocol can't tell", {}}; }

/// Families, contracts or parameters that the protocol needs and nobody tried, though nothing kept the judge from it.
std::string missing_families(const Observation& observation, const Protocol& protocol) {
  const bool excused = !observation.contracts.note.empty();
  std::vector<std::string> absent = protocol.families;
  bool contracts = false, parameters = !observation.parameters.note.empty() || !observation.parameters.way.empty();
  for (const CaseResult& result : observation.cases) {
    if (result.kind == "family") std::erase(absent, result.distribution);
    contracts |= result.kind == "contract";
    parameters |= result.kind == "parameters";
  }
  if (!absent.empty() && !excused) return fmt::format("no inputs of family {} were tried (--no-families leaves them out; without --all a wrong output ends them)", fmt::join(absent, ", "));
  if (protocol.contracts && !contracts && !excused) return "no call was repeated (--no-families leaves that out)";
  if (protocol.parameters && !parameters) return "no other parameters were tried (--no-parameters and --no-families leave them out)";
  return {};
}

/// What the device had no room for, of what the protocol needs: it is not known whether the candidate is right.
std::optional<Decision> lacking_room(const Observation& observation, const Protocol& protocol, const std::vector<bool>& needed) {
  if (!protocol.budget) return {};
  if (const auto gap = noise_gap(observation, protocol)) return incomplete(*gap);
  constexpr const char* k_advice = "on this device; give the problem a smaller size (--set), or judge by the rules of verified";
  if (const std::string& what = observation.contracts.no_room; !what.empty()) return incomplete(fmt::format("{} {}", what, k_advice));
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (const CaseResult& result = observation.cases[i]; needed[i] && result.no_room)
      return incomplete(fmt::format("{}: no room for the reference in float64 {}", result.id, k_advice), result.id);
  return {};
}

/// What no number shows.
std::optional<Decision> broken_contract(const Observation& observation, const Protocol& protocol, const std::vector<bool>& needed) {
  if (!protocol.contracts) return {};
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && observation.cases[i].mutated_inputs && !observation.contracts.reference_writes_inputs)
      return Decision{"input_written", fmt::format("{}: an input was written to, or the memory past its end, which the reference does not do", observation.cases[i].id),
                      observation.cases[i].id};
  if (observation.contracts.reused_output.value_or(false))
    return Decision{"reused_output", "an output that was returned earlier changed with the next call: calls share one output buffer", "held"};
  return {};
}

/// Of what the protocol needs, what the observation does not hold at all; nothing if it holds all.
std::optional<Decision> missing_cases(const Observation& observation, const Protocol& protocol) {
  int trials = 0;
  bool timed = false;
  std::vector<std::string> absent = protocol.distributions;
  for (const CaseResult& result : observation.cases) {
    trials += result.kind == "trial";
    timed |= result.kind == "timed";
    if (result.kind == "hidden") std::erase(absent, result.distribution);
  }
  if (trials == 0 && protocol.trials > 0) return incomplete("no trial was made");
  if (trials < protocol.trials)
    return not_tried(fmt::format("{} needs {} trials, and {} made (--trials)", protocol.name, protocol.trials,
                                 trials == 1 ? "1 was" : fmt::format("{} were", trials)));
  if (!absent.empty()) return incomplete(fmt::format("no hidden case under {} was made", fmt::join(absent, ", ")));
  if (const std::string untried = missing_families(observation, protocol); !untried.empty()) return not_tried(untried);
  if (protocol.timed_outputs && !timed && !observation.candidate_time.attested_us.empty())
    return incomplete("the outputs of the timed calls were not compared");
  return {};
}

std::string count_of(int n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

/// "a, b and c"
std::string listing(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

/// The largest error of a case as a part of what it may be; nothing where the budget does not decide.
std::optional<double> case_part(const CaseResult& result, const Observation& observation, const Protocol& protocol) {
  std::optional<double> part;
  if (by_distribution(result, observation, protocol)) return part;
  for (const OutputCheck& output : result.outputs)
    if (protocol.budget && output.exact && result.no_oracle.empty()) part = std::max(part.value_or(0), allowed_part(output, *protocol.budget, Precision::tf32));
  return part;
}

/// Of all that are needed.
std::optional<double> largest_part(const Observation& observation, const Protocol& protocol, const std::vector<bool>& needed) {
  std::optional<double> part;
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (const auto own = needed[i] ? case_part(observation.cases[i], observation, protocol) : std::nullopt) part = std::max(part.value_or(0), *own);
  return part;
}

/// The reason sentence of a candidate that passed.
std::string praise(const Observation& observation, const Protocol& protocol, const std::vector<bool>& needed,
                   std::optional<double> tolerance) {
  int trials = 0, hidden = 0, timed = 0, families = 0, others = 0, parameters = 0, noisy = 0, dropped = 0;
  double worst = 0;
  std::optional<DType> worst_dtype;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    if (!needed[i]) continue;
    if (result.dropped) {
      ++dropped;
      continue;
    }
    (result.kind == "trial"        ? trials
     : result.kind == "hidden"     ? hidden
     : result.kind == "family"     ? families
     : result.kind == "contract"   ? others
     : result.kind == "parameters" ? parameters
     : result.kind == "noise"      ? noisy
                                   : timed) += result.calls;
    for (const OutputCheck& output : result.outputs)
      if (is_floating(output.dtype) && !by_distribution(result, observation, protocol) && (!worst_dtype || output.stats.tau > worst)) {
        worst = output.stats.tau;
        worst_dtype = output.dtype;
      }
  }
  std::vector<std::string> parts;
  if (trials > 0) parts.push_back(count_of(trials, "trial", "trials"));
  if (hidden > 0) parts.push_back(count_of(hidden, "hidden input", "hidden inputs"));
  if (families > 0) parts.push_back(count_of(families, "family of inputs", "families of inputs"));
  if (others > 0) parts.push_back(count_of(others, "repeated call", "repeated calls"));
  if (parameters > 0) parts.push_back(count_of(parameters, "call with other parameters", "calls with other parameters"));
  if (noisy > 0) parts.push_back(count_of(noisy, "call by the distribution of random numbers", "calls by the distribution of random numbers"));
  if (timed > 0) parts.push_back(count_of(timed, "timed call", "timed calls"));
  std::string sentence = fmt::format("every output is right in {}", listing(parts));
  const auto part = tolerance ? std::nullopt : largest_part(observation, protocol, needed);
  if (part) {
    sentence += fmt::format("; the largest error is {:.2g} of what is allowed", *part);
  } else if (worst_dtype) {
    const auto given = protocol.tolerance.find(std::string(dtype_name(*worst_dtype)));
    const double allowed = tolerance ? *tolerance : given != protocol.tolerance.end() ? given->second : 0;
    sentence += fmt::format("; the largest error is {:.2g}, tolerance {:g}", worst, allowed);
  }
  if (dropped > 0)
    sentence += fmt::format("; {} not counted, because the reference is not finite there",
                            dropped == 1 ? "1 case is" : fmt::format("{} cases are", dropped));
  return sentence;
}

Decision decide(const Observation& observation, const Protocol& protocol, const std::vector<bool>& needed,
                std::optional<double> tolerance) {
  const Error* fault = observation.fault ? &*observation.fault : nullptr;
  if (fault && fault->fault == Fault::machine) return {"machine_error", fault->message, {}};
  if (fault && fault->fault != Fault::candidate) return {"problem_error", fault->message, {}};

  const std::optional<Decision> missing = missing_cases(observation, protocol);
  int left = 0;  // needed and not dropped
  for (std::size_t i = 0; i < needed.size(); ++i) left += needed[i] && !observation.cases[i].dropped;
  if (left == 0 && !missing) return {"problem_error", "no distribution under which the reference is finite", {}};

  std::optional<Decision> doubt;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    if (!needed[i] || result.dropped) continue;
    if (!result.ran) {
      if (fault) return candidate_fault(*fault, result.id);
      return incomplete(result.id + " did not run", result.id);
    }
    if (const auto failure = case_failure(result, observation, protocol, tolerance))
      return {"wrong_output", fmt::format("{}: {}", case_name(result), *failure), result.id};
    if (const auto what = doubt ? std::nullopt : case_doubt(result, observation, protocol, tolerance))
      doubt = Decision{"problem_error",
                       fmt::format("{}: {}; but the reference in its own type is too far from float64 to say who is wrong (ill-conditioned)",
                                   case_name(result), *what),
                       result.id};
    if (const auto gap = comparison_gap(result, observation.output_layout))
      return incomplete(fmt::format("{}: {}", result.id, *gap), result.id);
  }
  if (const auto broken = broken_contract(observation, protocol, needed)) return *broken;
  if (fault && (missing || protocol.timed_outputs)) return candidate_fault(*fault);
  if (auto room = lacking_room(observation, protocol, needed)) return *room;
  if (missing) return *missing;
  if (doubt) return *doubt;
  return {"correct", praise(observation, protocol, needed, tolerance), {}};
}

CaseVerdict::State case_state(const CaseResult& result, const Observation& observation, const Protocol& protocol,
                              std::optional<double> tolerance) {
  if (result.dropped) return CaseVerdict::State::dropped;
  if (!result.ran) return CaseVerdict::State::not_run;
  if (case_failure(result, observation, protocol, tolerance)) return CaseVerdict::State::failed;
  const bool whole = !comparison_gap(result, observation.output_layout);
  return whole ? CaseVerdict::State::passed : CaseVerdict::State::not_run;
}

/// What a correct one is besides.
void grade(const Observation& observation, const Protocol& protocol, const std::vector<bool>& needed, std::optional<double> tolerance,
           Verdict& verdict) {
  if (!protocol.budget || tolerance) return;
  bool tried = false;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    if (result.dropped || !result.ran) continue;
    const auto& robust = protocol.robust_families;
    if (result.kind == "family" && std::count(robust.begin(), robust.end(), result.distribution) > 0) {
      tried = true;
      const auto failure = case_failure(result, observation, protocol, {});
      if (failure && verdict.robust_reason.empty()) verdict.robust_reason = fmt::format("{}: {}", result.id, *failure);
    }
    if (!needed[i] || !verdict.strict_reason.empty()) continue;
    if (const auto failure = case_failure(result, observation, protocol, {}, Precision::strict))
      verdict.strict_reason = fmt::format("{}: {}", result.id, *failure);
  }
  if (tried) verdict.robust = verdict.robust_reason.empty();
  verdict.strict = verdict.strict_reason.empty();
}

}  // namespace

bool is_verdict(std::string_view code) { return code != "machine_error" && code != "problem_error" && code != "not_tried"; }

bool case_is_wrong(const Observation& observation, const CaseResult& result, const Protocol& protocol) {
  return looks_at(protocol, result) && !result.dropped && case_failure(result, observation, protocol, {}).has_value();
}

Verdict judge_correctness(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance) {
  const std::vector<bool> needed = needed_cases(observation, protocol);
  const Decision decision = decide(observation, protocol, needed, tolerance);

  Verdict verdict;
  verdict.protocol = protocol.name;
  verdict.title = protocol.title;
  verdict.tolerance = tolerance;
  verdict.correct = decision.code == "correct";
  verdict.code = decision.code;
  verdict.reason = decision.reason;
  verdict.worst_case = decision.worst_case;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    verdict.cases.push_back({result.id, needed[i], case_state(result, observation, protocol, tolerance),
                             tolerance || result.dropped ? std::nullopt : case_part(result, observation, protocol)});
  }
  if (verdict.correct) grade(observation, protocol, needed, tolerance, verdict);
  return verdict;
}

Verdict judge_observation(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance) {
  Verdict verdict = judge_correctness(observation, protocol, tolerance);
  const TimeBasis basis = time_basis(observation, baseline_samples(observation, protocol));
  const NetTime net = time_on(basis, observation, observation.candidate_time);
  if (std::isfinite(net.time_us)) verdict.time_us = net.time_us;
  verdict.evidence = find_evidence(observation, basis, net);
  if (!verdict.correct) return verdict;

  verdict.speed = score_speed(observation, protocol);
  if (protocol.memory) verdict.memory = score_memory(observation, protocol);
  if (verdict.memory) verdict.memory_ratio = verdict.memory->ratio;
  return verdict;
}

double smallest_tolerance(const Observation& observation, const Protocol& protocol) {
  const std::vector<bool> needed = needed_cases(observation, protocol);
  if (decide(observation, protocol, needed, k_infinity).code != "correct") return k_infinity;
  double smallest = 0;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    if (!needed[i] || result.dropped || by_distribution(result, observation, protocol)) continue;
    for (const OutputCheck& output : result.outputs)
      if (is_floating(output.dtype)) smallest = std::max(smallest, output.stats.tau);
  }
  return smallest;
}

}  // namespace kbv
