// SPDX-License-Identifier: MIT
// The few statistics that scores are made of. Values that are not finite are left out; of nothing, each is NaN.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kbv {

double mean(std::span<const double> values);
double median(std::span<const double> values);

/// The value below which `percent` of the values lie, by linear interpolation between neighbours (as numpy does).
double percentile(std::span<const double> values, double percent);

/// Median absolute deviation from the median, unscaled.
double median_absolute_deviation(std::span<const double> values);

/// Half the distance from the 10th to the 90th percentile.
double spread(std::span<const double> values);

/// Standard error of the median. For a normal distribution it is 1.25 standard deviations over the root of the count, and
/// from the 10th to the 90th percentile it is 2.56 standard deviations; spread() is half of that.
double median_error(std::span<const double> values);

struct Interval {
  double low = 0, high = 0;
};

/// A 95 % percentile bootstrap interval of `statistic`, which is given the medians of one resample of each sample.
/// A resample for which it returns NaN is left out. Always the same for the same input: the seed is fixed.
Interval bootstrap_medians(std::span<const std::vector<double>> samples,
                           const std::function<double(std::span<const double>)>& statistic);

/// One value for each of several items, and what it counts.
struct WeightedValues {
  std::vector<double> value, weight;  ///< of equal length; a value of weight 0 may be anything
};

/// The sum of weight * value over the sum of weights; NaN if that is 0.
double weighted_mean(const WeightedValues& values);

/// 95 % percentile bootstrap intervals of the weighted means of `columns`, all of one length: items are drawn with replacement, the same
/// for every column, so that each interval is what it would be alone. NaN where no resample has a mean. Deterministic, as bootstrap_medians().
std::vector<Interval> bootstrap_weighted_means(std::span<const WeightedValues> columns);

struct RatioEstimate {
  double value = 0;
  Interval interval;
};

/// How many times `below` is contained in `above`. Where entry i of both comes from round i, the median of the rounds' ratios: what
/// a round does to both cancels, which the ratio of the medians keeps. Of samples of different sizes, the ratio of the medians. A
/// round says nothing where neither value is above 0, and "infinite" where only that of `above` is. NaN if none says anything.
RatioEstimate ratio_of_rounds(const std::vector<double>& above, const std::vector<double>& below);

}  // namespace kbv
