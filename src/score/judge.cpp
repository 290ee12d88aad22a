// SPDX-License-Identifier: MIT
// From an observation to a verdict. The order of the rules is the order of decide() and docs/protocols.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "score/check.h"
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
  const bool reserved = fault.code.empty() || fault.code == "correct" || fault.code == "machine_error" ||
                        fault.code == "problem_error";
  return {reserved ? "runtime_error" : fault.code, fault.message, std::move(worst_case)};
}

Decision incomplete(const std::string& what, std::string worst_case = {}) {
  return {"machine_error", "incomplete: " + what, std::move(worst_case)};
}

/// What the protocol needs and the observation does not hold at all; empty if nothing.
std::string missing_cases(const Observation& observation, const Protocol& protocol) {
  int trials = 0;
  bool timed = false;
  std::vector<std::string> absent = protocol.distributions;
  for (const CaseResult& result : observation.cases) {
    trials += result.kind == "trial";
    timed |= result.kind == "timed";
    if (result.kind == "hidden") std::erase(absent, result.distribution);
  }
  if (trials < protocol.trials)
    return fmt::format("{} needs {} trials, and {} were made", protocol.name, protocol.trials, trials);
  if (!absent.empty()) return fmt::format("no hidden case under {} was made", fmt::join(absent, ", "));
  if (protocol.timed_outputs && !timed && !observation.candidate_time.attested_us.empty())
    return "the outputs of the timed calls were not compared";
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

/// The reason sentence of a candidate that passed.
std::string praise(const Observation& observation, const Protocol& protocol, const std::vector<bool>& needed,
                   std::optional<double> tolerance) {
  int trials = 0, hidden = 0, timed = 0, dropped = 0;
  double worst = 0;
  std::optional<DType> worst_dtype;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    if (!needed[i]) continue;
    if (result.dropped) {
      ++dropped;
      continue;
    }
    (result.kind == "trial" ? trials : result.kind == "hidden" ? hidden : timed) += result.calls;
    for (const OutputCheck& output : result.outputs)
      if (is_floating(output.dtype) && (!worst_dtype || output.stats.tau > worst)) {
        worst = output.stats.tau;
        worst_dtype = output.dtype;
      }
  }
  std::vector<std::string> parts;
  if (trials > 0) parts.push_back(count_of(trials, "trial", "trials"));
  if (hidden > 0) parts.push_back(count_of(hidden, "hidden input", "hidden inputs"));
  if (timed > 0) parts.push_back(count_of(timed, "timed call", "timed calls"));
  std::string sentence = fmt::format("every output is right in {}", listing(parts));
  if (worst_dtype) {
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

  const std::string missing = missing_cases(observation, protocol);
  int left = 0;  // needed and not dropped
  for (std::size_t i = 0; i < needed.size(); ++i) left += needed[i] && !observation.cases[i].dropped;
  if (left == 0 && missing.empty()) return {"problem_error", "no distribution under which the reference is finite", {}};

  for (std::size_t i = 0; i < needed.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    if (!needed[i] || result.dropped) continue;
    if (!result.ran) {
      if (fault) return candidate_fault(*fault, result.id);
      return incomplete(result.id + " did not run", result.id);
    }
    for (const OutputCheck& output : result.outputs)
      if (const auto failure = output_failure(output, protocol, tolerance))
        return {"wrong_output", fmt::format("{}: {}", case_name(result), *failure), result.id};
    if (const auto gap = comparison_gap(result, observation.output_layout))
      return incomplete(fmt::format("{}: {}", result.id, *gap), result.id);
  }
  if (fault && (!missing.empty() || protocol.timed_outputs)) return candidate_fault(*fault);
  if (!missing.empty()) return incomplete(missing);
  return {"correct", praise(observation, protocol, needed, tolerance), {}};
}

CaseVerdict::State case_state(const CaseResult& result, const Observation& observation, const Protocol& protocol,
                              std::optional<double> tolerance) {
  if (result.dropped) return CaseVerdict::State::dropped;
  if (!result.ran) return CaseVerdict::State::not_run;
  for (const OutputCheck& output : result.outputs)
    if (output_failure(output, protocol, tolerance)) return CaseVerdict::State::failed;
  const bool whole = !comparison_gap(result, observation.output_layout);
  return whole ? CaseVerdict::State::passed : CaseVerdict::State::not_run;
}

}  // namespace

Verdict judge_observation(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance) {
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
    verdict.cases.push_back({result.id, needed[i], case_state(result, observation, protocol, tolerance)});
  }
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
    if (!needed[i] || result.dropped) continue;
    for (const OutputCheck& output : result.outputs)
      if (is_floating(output.dtype)) smallest = std::max(smallest, output.stats.tau);
  }
  return smallest;
}

}  // namespace kbv
