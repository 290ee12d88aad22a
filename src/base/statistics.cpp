// SPDX-License-Identifier: MIT
#include "base/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace kbv {
namespace {

constexpr int k_resamples = 2000;
constexpr std::uint64_t k_bootstrap_seed = 42;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sorted_finite(std::span<const double> values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](double v) { return std::isfinite(v); });
  std::sort(kept.begin(), kept.end());
  return kept;
}

double percentile_of_sorted(const std::vector<double>& sorted, double percent) {
  if (sorted.empty()) return k_nan;
  const double position = std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0 || sorted[below] == sorted[below + 1]) return sorted[below];  // also where a neighbour is infinite
  return std::lerp(sorted[below], sorted[below + 1], fraction);
}

/// Medians of random resamples of one sorted sample: only the indices need to be drawn and ordered.
class Resampler {
 public:
  explicit Resampler(std::span<const double> values) : sorted_(sorted_finite(values)), indices_(sorted_.size()) {}

  double median(std::mt19937_64& random) {
    const std::size_t n = sorted_.size();
    if (n == 0) return k_nan;
    for (std::size_t& index : indices_) index = random() % n;  // the bias of % is below 2^-40 for any sample that fits
    const auto middle = indices_.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::nth_element(indices_.begin(), middle, indices_.end());
    if (n % 2 == 1) return sorted_[*middle];
    return std::midpoint(sorted_[*std::max_element(indices_.begin(), middle)], sorted_[*middle]);
  }

 private:
  std::vector<double> sorted_;
  std::vector<std::size_t> indices_;
};

}  // namespace

double mean(std::span<const double> values) {
  const std::vector<double> kept = sorted_finite(values);
  if (kept.empty()) return k_nan;
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

double percentile(std::span<const double> values, double percent) {
  return percentile_of_sorted(sorted_finite(values), percent);
}

double median(std::span<const double> values) { return percentile(values, 50); }

double median_absolute_deviation(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(distances);
}

double spread(std::span<const double> values) {
  const std::vector<double> sorted = sorted_finite(values);
  return (percentile_of_sorted(sorted, 90) - percentile_of_sorted(sorted, 10)) / 2;
}

double median_error(std::span<const double> values) {
  return 0.98 * spread(values) / std::sqrt(static_cast<double>(values.size()));
}

namespace {

/// 2.5th to 97.5th percentile, which are NaN of nothing.
Interval middle_of(std::vector<double> outcomes) {
  std::sort(outcomes.begin(), outcomes.end());
  return {percentile_of_sorted(outcomes, 2.5), percentile_of_sorted(outcomes, 97.5)};
}

/// Of what `outcome` gives; NaN is left out.
Interval interval_of(const std::function<double(std::mt19937_64&)>& outcome) {
  std::mt19937_64 random(k_bootstrap_seed);
  std::vector<double> outcomes;
  outcomes.reserve(k_resamples);
  for (int i = 0; i < k_resamples; ++i)
    if (const double value = outcome(random); !std::isnan(value)) outcomes.push_back(value);
  return middle_of(std::move(outcomes));
}

}  // namespace

Interval bootstrap_medians(std::span<const std::vector<double>> samples,
                           const std::function<double(std::span<const double>)>& statistic) {
  std::vector<Resampler> resamplers(samples.begin(), samples.end());
  std::vector<double> medians(samples.size());
  return interval_of([&](std::mt19937_64& random) {
    std::transform(resamplers.begin(), resamplers.end(), medians.begin(),
                   [&](Resampler& resampler) { return resampler.median(random); });
    return statistic(medians);
  });
}

namespace {

/// As weighted_mean(), with each weight `times` as large.
template <typename Times>
double mean_of_columns(const WeightedValues& values, Times times) {
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < values.weight.size(); ++i) {
    const double weight = values.weight[i] * times(i);
    if (weight == 0) continue;
    sum += weight * values.value[i];
    weights += weight;
  }
  return weights == 0 ? k_nan : sum / weights;
}

}  // namespace

double weighted_mean(const WeightedValues& values) {
  return mean_of_columns(values, [](std::size_t) { return 1.0; });
}

std::vector<Interval> bootstrap_weighted_means(std::span<const WeightedValues> columns) {
  const std::size_t items = columns.empty() ? 0 : columns.front().value.size();
  std::mt19937_64 random(k_bootstrap_seed);
  std::vector<std::vector<double>> outcomes(columns.size());
  std::vector<double> times(items);  // how often each item was drawn
  for (int i = 0; i < k_resamples && items > 0; ++i) {
    std::fill(times.begin(), times.end(), 0.0);
    for (std::size_t k = 0; k < items; ++k) times[random() % items] += 1;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const double value = mean_of_columns(columns[column], [&](std::size_t item) { return times[item]; });
      if (!std::isnan(value)) outcomes[column].push_back(value);
    }
  }
  std::vector<Interval> intervals;
  for (std::vector<double>& own : outcomes) intervals.push_back(middle_of(std::move(own)));
  return intervals;
}

RatioEstimate ratio_of_rounds(const std::vector<double>& above, const std::vector<double>& below) {
  constexpr double k_endless = 1e100;  // medians leave infinite values out
  const auto ratio = [](double a, double b) { return b > 0 ? std::max(a, 0.0) / b : a > 0 ? k_endless : k_nan; };
  const auto shown = [](double value) { return value < k_endless / 2 ? value : std::isnan(value) ? k_nan : std::numeric_limits<double>::infinity(); };
  const auto estimate = [&](double value, const Interval& interval) {
    return RatioEstimate{shown(value), {shown(interval.low), shown(interval.high)}};
  };
  if (above.size() != below.size())
    return estimate(ratio(median(above), median(below)), bootstrap_medians(std::array{above, below}, [&](std::span<const double> medians) {
                      return ratio(medians[0], medians[1]);
                    }));
  std::vector<double> ratios;
  for (std::size_t i = 0; i < above.size(); ++i)
    if (const double value = ratio(above[i], below[i]); !std::isnan(value)) ratios.push_back(value);
  return estimate(median(ratios), bootstrap_medians(std::array{ratios}, [](std::span<const double> medians) { return medians[0]; }));
}

}  // namespace kbv
