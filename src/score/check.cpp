// SPDX-License-Identifier: MIT
#include "score/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "score/noise.h"

namespace kbv {
namespace {

/// An expected output whose rms is below float32's epsilon holds the reference's own rounding noise, or nothing: inputs
/// are of order one, and the noise of two correct kernels differs by all of it. The rms rule does not apply there.
constexpr double k_noise_rms = 1.2e-7;

/// The number of elements of `shape`; nothing if it is negative or does not fit.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return {};
    const auto size = static_cast<std::uint64_t>(extent);
    if (size != 0 && count > std::numeric_limits<std::uint64_t>::max() / size) return {};
    count *= size;
  }
  return count;
}

/// Two values so that a reader sees them differ, if they do.
struct Pair {
  std::string first, second;
};

Pair show_apart(double first, double second, int digits) {
  Pair pair{fmt::format("{:.{}g}", first, digits), fmt::format("{:.{}g}", second, digits)};
  if (pair.first == pair.second && first != second) pair = {fmt::format("{}", first), fmt::format("{}", second)};
  return pair;
}

std::string values(const OutputCheck& output) {
  const bool integer = !is_floating(output.dtype);
  const Pair shown = show_apart(output.stats.worst_got, output.stats.worst_expected, integer ? 17 : 6);
  return fmt::format("is {}, expected {}", shown.first, shown.second);
}

double rms_ratio(const CompareStats& stats) { return std::sqrt(stats.sum_sq_diff / stats.sum_sq_expected); }

bool rms_rule_applies(const CompareStats& stats) {
  return stats.count > 0 && std::sqrt(stats.sum_sq_expected / static_cast<double>(stats.count)) > k_noise_rms;
}

}  // namespace

bool looks_at(const Protocol& protocol, const CaseResult& result) {
  const auto is_among = [&](const std::vector<std::string>& names) { return std::count(names.begin(), names.end(), result.distribution) > 0; };
  if (result.kind == "trial") return protocol.trials > 0;
  if (result.kind == "hidden") return is_among(protocol.distributions) && !(protocol.budget && result.outside_domain);
  if (result.kind == "family") return is_among(protocol.families);
  if (result.kind == "contract") return protocol.contracts;
  if (result.kind == "parameters") return protocol.parameters;
  if (result.kind == "noise") return protocol.budget.has_value();
  return result.kind == "timed" && protocol.timed_outputs;
}

std::vector<bool> needed_cases(const Observation& observation, const Protocol& protocol) {
  std::vector<bool> needed;
  int trials = 0;
  for (const CaseResult& result : observation.cases)
    needed.push_back(looks_at(protocol, result) && (result.kind != "trial" || trials++ < protocol.trials));
  return needed;
}

std::optional<std::string> output_failure(const OutputCheck& output, const Protocol& protocol,
                                          std::optional<double> tolerance) {
  const CompareStats& stats = output.stats;
  const bool floating = is_floating(output.dtype);
  const auto where = [&] { return element_name(output, stats.worst_index); };
  if (stats.nonfinite > 0)
    return fmt::format("{} {}: {} of {} elements are NaN or infinite where the expected ones are not, or the reverse",
                       where(), values(output), stats.nonfinite, stats.count);

  if (!floating && protocol.exact_integers) {
    if (stats.unequal == 0) return {};
    const bool visible = stats.worst_got != stats.worst_expected;  // not so for int64 beyond 2^53
    return fmt::format("{}: {} of {} integer elements differ, and they must be equal",
                       visible ? where() + " " + values(output) : output.path, stats.unequal, stats.count);
  }

  const auto given = protocol.tolerance.find(std::string(dtype_name(output.dtype)));
  const double allowed = floating && tolerance ? *tolerance : given != protocol.tolerance.end() ? given->second : 0;
  if (!(stats.tau <= allowed)) {
    const Pair shown = show_apart(stats.tau, allowed, 3);
    return fmt::format("{} {}: error {}, tolerance {}", where(), values(output), shown.first, shown.second);
  }

  if (floating && protocol.max_rms_ratio && rms_rule_applies(stats) && !(rms_ratio(stats) <= *protocol.max_rms_ratio))
    return fmt::format("{}: every element is within the tolerance {:g}, but the difference is {:.3g} % of the output's "
                       "own size (rms), at most {:g} % is allowed",
                       output.path, allowed, 100 * rms_ratio(stats), 100 * *protocol.max_rms_ratio);
  return {};
}

namespace {

/// The draws of one kind of inputs have this oracle; trials and timed calls have none of their own.
const CaseResult* native_case(const Observation& observation) {
  const CaseResult* native = nullptr;
  for (const CaseResult& other : observation.cases)
    if (other.kind == "hidden" && other.distribution == "D1" && other.ran) native = &other;
  return native;
}

/// The float64 oracle that decides about an output: its own, or for the same kind of inputs that of hidden-D1.
struct Oracle {
  const OutputCheck* output = nullptr;  ///< nothing: the tolerance decides
  bool is_own = false;
  bool is_inexact = false;  ///< the reference itself is far from it
};

Oracle oracle_of(const CaseResult& result, std::size_t i, const CaseResult* native) {
  const OutputCheck& output = result.outputs[i];
  if (output.exact) return {&output, true, !result.no_oracle.empty()};
  const bool is_shared = native && native->outputs.size() == result.outputs.size() && native->outputs[i].exact && result.distribution == "D1" &&
                         is_floating(output.dtype) && output.stats.nonfinite == 0;
  return is_shared ? Oracle{&native->outputs[i], false, !native->no_oracle.empty()} : Oracle{};
}

std::optional<std::string> failure_by(const Oracle& oracle, const OutputCheck& output, const Budget& budget, Precision precision) {
  return oracle.is_own ? budget_failure(output, budget, precision) : difference_failure(output, *oracle.output, budget, precision);
}

}  // namespace

std::optional<std::string> case_failure(const CaseResult& result, const Observation& observation, const Protocol& protocol,
                                        std::optional<double> tolerance, Precision precision) {
  if (result.kind == "noise") return noise_failure(result, observation, protocol);
  const CaseResult* native = native_case(observation);
  const bool distributed = by_distribution(result, observation, protocol);
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const OutputCheck& output = result.outputs[i];
    if (distributed && is_noisy(result, i, observation, protocol)) {
      if (auto failure = single_call_failure(result, i, observation, protocol)) return failure;
      continue;
    }
    const bool by_budget = protocol.budget && !(tolerance && is_floating(output.dtype));
    const Oracle oracle = by_budget ? oracle_of(result, i, native) : Oracle{};
    std::optional<std::string> failure;
    if (oracle.output) failure = failure_by(oracle, output, *protocol.budget, precision);
    // Where the reference is far from float64, what is near the reference is no error either.
    if (!oracle.output || (failure && oracle.is_inexact))
      if (auto beyond = output_failure(output, protocol, tolerance); !beyond || !failure) failure = std::move(beyond);
    if (failure) return failure;
  }
  return {};
}

std::optional<std::string> case_doubt(const CaseResult& result, const Observation& observation, const Protocol& protocol,
                                      std::optional<double> tolerance) {
  if (!protocol.budget || tolerance || result.kind == "noise") return {};
  const bool distributed = by_distribution(result, observation, protocol);
  const CaseResult* native = native_case(observation);
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const OutputCheck& output = result.outputs[i];
    const Oracle oracle = distributed && is_noisy(result, i, observation, protocol) ? Oracle{} : oracle_of(result, i, native);
    if (!oracle.output || !oracle.is_inexact || failure_by(oracle, output, *protocol.budget, Precision::tf32)) continue;
    if (const auto beyond = output_failure(output, protocol, {})) return beyond;
  }
  return {};
}

std::optional<std::string> comparison_gap(const CaseResult& result, const std::vector<OutputCheck>& layout) {
  if (result.outputs.empty()) return "no output was compared";
  if (!layout.empty() && result.outputs.size() != layout.size())
    return fmt::format("{} of {} outputs were compared", result.outputs.size(), layout.size());
  for (const OutputCheck& output : result.outputs) {
    const auto elements = element_count(output.shape);
    const std::uint64_t parts = is_complex(output.dtype) ? 2 : 1;
    if (!elements || output.stats.count / parts != *elements)
      return fmt::format("{} elements of {}, of shape [{}], were compared", output.stats.count / parts, output.path,
                         fmt::join(output.shape, ", "));
  }
  return {};
}

std::string case_name(const CaseResult& result) {
  if (result.scale == 1.0) return result.id;
  return fmt::format("{} (D1 x {:g})", result.id, result.scale);
}

std::string element_name(const OutputCheck& output, std::uint64_t index) {
  const bool complex = is_complex(output.dtype);
  std::string part;
  if (complex) {
    part = index % 2 == 0 ? " (real part)" : " (imaginary part)";
    index /= 2;
  }
  const auto elements = element_count(output.shape);
  if (!elements || index >= *elements) return fmt::format("{} element {}{}", output.path, index, part);
  std::vector<std::uint64_t> coordinates(output.shape.size());
  for (std::size_t axis = output.shape.size(); axis-- > 0;) {
    const auto size = static_cast<std::uint64_t>(output.shape[axis]);
    coordinates[axis] = index % size;
    index /= size;
  }
  if (coordinates.empty()) return output.path + part;
  return fmt::format("{}[{}]{}", output.path, fmt::join(coordinates, ", "), part);
}

}  // namespace kbv
