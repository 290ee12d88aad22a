// SPDX-License-Identifier: MIT
#include "score/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "score/check.h"

namespace kbv {
namespace {

bool in_tf32(const MemberErrors& member) { return member.name.rfind("tf32", 0) == 0; }

/// A quarter: the rms of errors that are as large as they may be is smaller than the largest.
constexpr double k_rms_part = 0.25;
/// An output of fewer elements than this has no rms to speak of: one of a single element is its error, relative to |r| instead of to |r| + rho.
constexpr std::uint64_t k_few = 32;
/// Of the least error: what an honest output may be off by, of its own size, where that is more than what tells samples apart.
constexpr double k_own_size_part = 1.0 / 8;

/// e_var of an output that has a variation.
double variation_error(const ExactCheck& check) { return std::sqrt(check.stats.sum_sq_diff) / *check.variation; }

std::string element(const OutputCheck& output, const ExactStats& stats) {
  return fmt::format("{} is {:.6g}, expected {:.6g}", element_name(output, stats.worst_index), stats.worst_got, stats.worst_expected);
}

}  // namespace

Allowance allowance(const ExactCheck& check, DType dtype, const Budget& budget, Precision precision) {
  const bool products = std::any_of(check.members.begin(), check.members.end(), in_tf32);
  Allowance allowed;
  double right_var = 0;
  bool has_var = check.variation.has_value();
  for (const MemberErrors& member : check.members) {
    if (precision == Precision::strict && in_tf32(member)) continue;
    allowed.right_max = std::max(allowed.right_max, member.e_max);
    allowed.right_rms = std::max(allowed.right_rms, member.e_rms);
    has_var = has_var && member.e_var;
    if (member.e_var) right_var = std::max(right_var, *member.e_var);
  }
  const bool wide = products && precision == Precision::tf32;
  const auto least = budget.least.find(std::string(dtype_name(dtype)));
  const double floor = precision == Precision::strict && (dtype == DType::float32 || dtype == DType::float64) ? budget.strict_least
                       : least != budget.least.end()                                                          ? least->second
                                                                                                              : 0;
  const bool few = check.stats.count < k_few;
  allowed.e_max = std::max((wide ? budget.products_max_factor : budget.max_factor) * allowed.right_max, floor);
  allowed.e_rms = std::max((wide ? budget.products_rms_factor : budget.rms_factor) * allowed.right_rms, floor * k_rms_part);
  if (few) allowed.e_rms = std::max(allowed.e_rms, 2 * allowed.e_max);
  if (has_var && right_var <= budget.variation_void)
    allowed.e_var = std::max(budget.variation_factor * right_var, budget.variation_least);
  // Where samples hardly differ, an error that every rule here allows can be more than what tells them apart.
  if (allowed.e_var && *check.variation > 0) {
    const double size = check.rho_max * std::sqrt(static_cast<double>(check.stats.count));
    allowed.e_var = std::max(*allowed.e_var, (few ? 2 * allowed.e_max : floor * k_own_size_part) * size / *check.variation);
  }
  return allowed;
}

double allowed_part(const OutputCheck& output, const Budget& budget, Precision precision) {
  const ExactStats& stats = output.exact->stats;
  if (stats.nonfinite > 0 || (!is_floating(output.dtype) && stats.unequal > 0)) return std::numeric_limits<double>::infinity();
  if (!is_floating(output.dtype)) return 0;
  const Allowance allowed = allowance(*output.exact, output.dtype, budget, precision);
  double part = std::max(stats.e_max / allowed.e_max, stats.e_rms / allowed.e_rms);
  if (allowed.e_var && *output.exact->variation > 0) part = std::max(part, variation_error(*output.exact) / *allowed.e_var);
  return part;
}

std::optional<std::string> budget_failure(const OutputCheck& output, const Budget& budget, Precision precision) {
  const ExactStats& stats = output.exact->stats;
  if (stats.nonfinite > 0)
    return fmt::format("{}: {} of {} elements are NaN or infinite where the expected ones are not, or the reverse", element(output, stats),
                       stats.nonfinite, stats.count);
  if (!is_floating(output.dtype)) {
    if (stats.unequal == 0) return {};
    return fmt::format("{}: {} of {} integer elements differ, and they must be equal", element(output, stats), stats.unequal, stats.count);
  }
  const Allowance allowed = allowance(*output.exact, output.dtype, budget, precision);
  constexpr double k_least_rho = 0x1p-99;  // of an output that is zero throughout: an error has no size to be measured by
  if (!(stats.e_max <= allowed.e_max) && output.exact->rho_max <= k_least_rho && allowed.right_max == 0)
    return fmt::format("{}: right implementations give 0 everywhere", element(output, stats));
  if (!(stats.e_max <= allowed.e_max))
    return fmt::format("{}: error {:.2g} of its size, allowed {:.2g} (right implementations reach {:.2g})", element(output, stats), stats.e_max,
                       allowed.e_max, allowed.right_max);
  if (!(stats.e_rms <= allowed.e_rms))
    return fmt::format("{}: error {:.2g} of a slice's size (rms), allowed {:.2g} (right implementations reach {:.2g})", output.path, stats.e_rms,
                       allowed.e_rms, allowed.right_rms);
  if (allowed.e_var) {
    const double e_var = variation_error(*output.exact);
    if (!(e_var <= *allowed.e_var))
      return fmt::format("{}: the error is {:.2g} of what tells samples apart (rms), allowed {:.2g}: the output hardly depends on its inputs",
                         output.path, e_var, *allowed.e_var);
  }
  return {};
}

DifferenceAllowance difference_allowance(const ExactCheck& native, DType dtype, const Budget& budget, Precision precision) {
  const Allowance allowed = allowance(native, dtype, budget, precision);
  const Allowance reference = allowance(native, dtype, budget, Precision::tf32);
  // |got - reference| <= the errors of both; an element's is relative to |r| + rho, and tau to 1 + |r|.
  return {(allowed.e_max + reference.right_max) * std::max(1.0, native.rho_max), allowed.e_rms + reference.right_rms};
}

std::optional<std::string> difference_failure(const OutputCheck& output, const OutputCheck& native, const Budget& budget, Precision precision) {
  if (!is_floating(output.dtype) || !native.exact || native.exact->members.empty()) return {};
  const CompareStats& stats = output.stats;
  const DifferenceAllowance may = difference_allowance(*native.exact, output.dtype, budget, precision);
  if (!(stats.tau <= may.tau))
    return fmt::format("{} is {:.6g}, expected {:.6g}: error {:.2g}, allowed {:.2g} by what right implementations differ by on such inputs",
                       element_name(output, stats.worst_index), stats.worst_got, stats.worst_expected, stats.tau, may.tau);
  if (stats.sum_sq_expected > 0 && !(std::sqrt(stats.sum_sq_diff / stats.sum_sq_expected) <= may.rms))
    return fmt::format("{}: the difference is {:.2g} of the output's own size (rms), allowed {:.2g} by what right implementations differ by on "
                       "such inputs", output.path, std::sqrt(stats.sum_sq_diff / stats.sum_sq_expected), may.rms);
  const Allowance allowed = allowance(*native.exact, output.dtype, budget, precision);
  // Another draw varies about as much as the native one did.
  if (allowed.e_var && native.exact->variation && !(std::sqrt(stats.sum_sq_diff) <= 2 * *allowed.e_var * *native.exact->variation))
    return fmt::format("{}: the difference is as large as what tells samples apart: the output hardly depends on its inputs", output.path);
  return {};
}

}  // namespace kbv
