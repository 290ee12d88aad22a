// SPDX-License-Identifier: MIT
#include "score/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "score/check.h"

namespace kbv {
namespace {

/// The chance that right random numbers are rejected in one evaluation, all measures of all outputs and draws together.
constexpr double k_level = 1e-7;
/// Two calls that are nearer to each other than pairs of the reference ever are share their random numbers: by this many standard
/// deviations, and this part of how far they usually are.
constexpr double k_near_deviations = 8, k_near_part = 0.25;
/// A single call's distance from one of the reference's: what it may be off what is usual, in parts of that and in deviations over draws.
constexpr double k_single_part = 0.25, k_single_deviations = 8;
/// Nearer than this part of what is usual (squared) is only who draws the very same numbers: without any, it is a half.
constexpr double k_same_numbers = 1.0 / 25;

double tolerance_of(const OutputCheck& output, const Protocol& protocol) {
  // Integers that come from random numbers have a distribution too, and no rounding.
  const auto given = protocol.tolerance.find(std::string(dtype_name(output.dtype)));
  return is_floating(output.dtype) && given != protocol.tolerance.end() ? given->second : 0;
}

std::size_t count_tests(const Noise& noise) {
  std::size_t tests = 0;
  for (const NoiseDraw& draw : noise.draws)
    for (const NoiseOutput& output : draw.outputs) tests += output.measures.size() + output.fields.size();
  return std::max<std::size_t>(tests, 1);
}

/// How far something is beyond chance, and as the rest of a sentence what it is.
struct Excess {
  double part = 0;  ///< of what chance allows: more than 1 is too much
  std::string text;
};

constexpr double k_infinity = std::numeric_limits<double>::infinity();

/// Under random signs of the pairs' differences: P(|sum| >= x sqrt(sum of squares)) <= 2 exp(-x^2 / 2), whatever they are (Hoeffding).
/// What rounding may do to each difference is taken off first, which makes the quotient smaller.
Excess excess_of(const NoiseMeasure& m, int calls, double tolerance, double tests) {
  const double n = calls, limit = std::sqrt(2 * std::log(2 * tests / k_level));
  const double rounding = tolerance * m.linear + tolerance * tolerance * m.square;
  const double beyond = std::abs(m.sum) - n * rounding;
  const double squares = m.sum_sq - 2 * rounding * std::abs(m.sum) + n * rounding * rounding;
  const double quotient = !std::isfinite(m.sum) || !std::isfinite(m.sum_sq) ? k_infinity
                          : !(beyond > 0)                                   ? 0
                          : squares > 0                                     ? beyond / std::sqrt(squares)
                                                                            : std::sqrt(n);
  return {quotient / limit, fmt::format("{} is {:.4g} in {} calls, the reference's {:.4g} ({:.1f} where chance allows {:.1f})", m.name, m.got,
                                        calls, m.expected, quotient, limit)};
}

/// The same for vectors: P(||sum||^2 > trace + 2 F sqrt(y) + 2 top y) <= exp(-y), F and top the Frobenius and the operator norm of the matrix
/// of products of the pairs' differences (Hsu, Kakade and Zhang).
Excess excess_of(const NoiseField& f, int calls, double tolerance, double tests) {
  const double n = calls, y = std::log(tests / k_level);
  const double rounding = n * (tolerance * f.linear + tolerance * tolerance * f.square);
  const double limit = std::sqrt(f.trace + 2 * f.frobenius * std::sqrt(y) + 2 * f.top * y) + rounding;
  const double found = std::sqrt(std::max(f.sum, 0.0));
  const double part = !std::isfinite(f.sum) ? k_infinity : found == 0 ? 0 : found / limit;
  return {part, fmt::format("{} over {} calls differs from the reference's by {:.3g} of its noise (rms), where chance allows {:.3g}", f.name,
                            calls, found / n, limit / n)};
}

std::optional<std::string> repeat_failure(const NoiseOutput& output) {
  const double least = output.far_mean - std::max(k_near_deviations * output.far_sd, k_near_part * output.far_mean);
  if (!(least > 0) || !(output.far_least > least) || output.least >= least) return {};
  return fmt::format("two calls have the same random numbers, or nearly: their outputs are {:.3g} of the noise apart, the reference's {:.3g} "
                     "and never less than {:.3g}",
                     std::sqrt(output.least), std::sqrt(output.far_mean), std::sqrt(output.far_least));
}

const NoiseDraw* draw_of(const std::string& id, const Noise& noise) {
  for (const NoiseDraw& draw : noise.draws)
    if (draw.id == id) return &draw;
  return nullptr;
}

}  // namespace

bool by_distribution(const CaseResult& result, const Observation& observation, const Protocol& protocol) {
  return protocol.budget && observation.noise && (result.kind == "trial" || result.kind == "hidden" || result.kind == "timed");
}

bool is_noisy(const CaseResult& result, std::size_t i, const Observation& observation, const Protocol& protocol) {
  if (!observation.noise) return false;
  if (observation.noise->draws.empty()) return true;  // not known; noise_gap() says so
  return std::any_of(observation.noise->draws.begin(), observation.noise->draws.end(), [&](const NoiseDraw& draw) {
    if (i >= draw.outputs.size()) return false;
    const NoiseOutput& output = draw.outputs[i];
    return output.sigma > tolerance_of(result.outputs[i], protocol) * output.size;
  });
}

std::optional<std::string> noise_failure(const CaseResult& result, const Observation& observation, const Protocol& protocol) {
  if (!observation.noise) return {};
  const NoiseDraw* draw = draw_of(result.id, *observation.noise);
  if (!draw || draw->calls == 0) return {};
  const auto tests = static_cast<double>(count_tests(*observation.noise));
  for (std::size_t i = 0; i < draw->outputs.size() && i < result.outputs.size(); ++i) {
    const NoiseOutput& output = draw->outputs[i];
    const double tolerance = tolerance_of(result.outputs[i], protocol);
    const auto named = [&](const std::string& what) { return fmt::format("{}: {}", result.outputs[i].path, what); };
    if (!output.finite) return named("NaN or infinite in one of many calls, where the reference is finite");
    if (!(output.sigma > tolerance * output.size)) continue;
    Excess worst;
    const auto consider = [&](const auto& of) {
      if (Excess next = excess_of(of, draw->calls, tolerance, tests); !(next.part <= worst.part)) worst = std::move(next);
    };
    for (const NoiseMeasure& measure : output.measures) consider(measure);
    for (const NoiseField& field : output.fields) consider(field);
    if (!(worst.part <= 1)) return named("not distributed as the reference's: " + worst.text);
    if (const auto failure = repeat_failure(output)) return named(*failure);
  }
  return {};
}

std::optional<std::string> single_call_failure(const CaseResult& result, std::size_t i, const Observation& observation, const Protocol& protocol) {
  const OutputCheck& output = result.outputs[i];
  const CompareStats& stats = output.stats;
  if (is_floating(output.dtype) && stats.nonfinite > 0)
    return fmt::format("{}: {} of {} elements are NaN or infinite where the reference's are not, or the reverse", output.path, stats.nonfinite,
                       stats.count);
  const auto& spreads = observation.noise->spreads;
  // Of scaled inputs nobody knows how much noise there is; in eval mode there are families for that.
  if (result.distribution != "D1" || i >= spreads.size() || !(stats.sum_sq_expected > 0)) return {};
  const double apart = stats.sum_sq_diff / stats.sum_sq_expected, tolerance = tolerance_of(output, protocol);
  const double usual = spreads[i].mean;
  if (apart <= k_same_numbers * usual || !output_failure(output, protocol, {})) return {};  // it draws what the reference draws
  const double off = k_single_part * usual + k_single_deviations * spreads[i].sd + 2 * tolerance * std::sqrt(usual) + tolerance * tolerance;
  if (std::abs(apart - usual) <= off) return {};
  return fmt::format("{}: it is {:.4g} of its size (rms) from an output of the reference, where two of the reference's are {:.4g} apart{}",
                     output.path, std::sqrt(apart), std::sqrt(usual), apart < usual ? ": random numbers seem to be missing" : "");
}

std::optional<std::string> noise_gap(const Observation& observation, const Protocol& protocol) {
  if (!protocol.budget || !observation.noise || observation.noise->note.empty()) return {};
  return "the forward draws random numbers in training, and their distribution was not looked at: " + observation.noise->note;
}

}  // namespace kbv
