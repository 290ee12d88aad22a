// SPDX-License-Identifier: MIT
#include "base/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace kbv {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_inf = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

double first_median(std::span<const double> medians) { return medians[0]; }

TEST(Statistics, ByHand) {
  EXPECT_DOUBLE_EQ(mean(Values{1, 2, 6}), 3);
  EXPECT_DOUBLE_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median(Values{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(percentile(Values{4, 1, 3, 2}, 25), 1.75);  // numpy.percentile([1, 2, 3, 4], 25)
  EXPECT_DOUBLE_EQ(percentile(Values{4, 1, 3, 2}, 90), 3.7);
  EXPECT_DOUBLE_EQ(percentile(Values{4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(Values{4, 1, 3, 2}, 100), 4);
  EXPECT_DOUBLE_EQ(median_absolute_deviation(Values{1, 1, 2, 2, 4, 6, 9}), 1);  // distances 1 1 0 0 2 4 7
  EXPECT_DOUBLE_EQ(spread(Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), 4);       // (10 - 2) / 2
}

TEST(Statistics, OneValueIsEveryPercentile) {
  EXPECT_EQ(percentile(Values{7}, 3), 7);
  EXPECT_EQ(median(Values{7}), 7);
  EXPECT_EQ(spread(Values{7}), 0);
  EXPECT_EQ(median_absolute_deviation(Values{7}), 0);
}

TEST(Statistics, WhatIsNotFiniteIsLeftOut) {
  EXPECT_DOUBLE_EQ(median(Values{k_nan, 1, k_inf, 2, -k_inf, 3}), 2);
  EXPECT_DOUBLE_EQ(mean(Values{k_nan, 1, k_inf, 3}), 2);
}

TEST(Statistics, NothingIsNan) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(spread(Values{k_nan})));
  EXPECT_TRUE(std::isnan(median_absolute_deviation({})));
}

TEST(Bootstrap, OfConstantsIsAPoint) {
  const std::array samples{Values(10, 3.0), Values(7, 5.0)};
  const Interval interval = bootstrap_medians(samples, [](auto medians) { return medians[0] / medians[1]; });
  EXPECT_DOUBLE_EQ(interval.low, 0.6);
  EXPECT_DOUBLE_EQ(interval.high, 0.6);
}

TEST(Bootstrap, OfTwoValuesReachesBoth) {  // a resample's median is 0, 50, 100 with probability 1/4, 1/2, 1/4
  const std::array samples{Values{0, 100}};
  const Interval interval = bootstrap_medians(samples, first_median);
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 100);
}

TEST(Bootstrap, OneOutlierInTenIsOutside) {  // the median is above 0 with probability 0.0016
  Values values(9, 0.0);
  values.push_back(100);
  const Interval interval = bootstrap_medians(std::array{values}, first_median);
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 0);
}

// The median of a resample of 0..98 lies below k with the probability that at least 50 of 99 draws do: 2.5 % at k = 40.
TEST(Bootstrap, MatchesTheBinomialDistribution) {
  Values values;
  for (int i = 0; i < 99; ++i) values.push_back(i);
  const Interval interval = bootstrap_medians(std::array{values}, first_median);
  EXPECT_NEAR(interval.low, 39.5, 2);
  EXPECT_NEAR(interval.high, 58.5, 2);
}

TEST(Bootstrap, SameInSameOut) {
  const std::array samples{Values{1, 5, 2, 8, 3}, Values{2, 2, 9}};
  const auto ratio = [](std::span<const double> medians) { return medians[0] / medians[1]; };
  const Interval first = bootstrap_medians(samples, ratio), second = bootstrap_medians(samples, ratio);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LT(first.low, first.high);
}

TEST(Bootstrap, NanIsLeftOutAndInfinityCounts) {
  const std::array samples{Values{0, 100}};
  const Interval some = bootstrap_medians(samples, [](auto m) { return m[0] == 50 ? k_nan : m[0]; });
  EXPECT_EQ(some.high, 100);
  const Interval infinite = bootstrap_medians(samples, [](auto m) { return m[0] == 100 ? k_inf : m[0]; });
  EXPECT_EQ(infinite.low, 0);
  EXPECT_EQ(infinite.high, k_inf);
  const Interval none = bootstrap_medians(samples, [](auto) { return k_nan; });
  EXPECT_TRUE(std::isnan(none.low));
  EXPECT_TRUE(std::isnan(bootstrap_medians(std::array{Values{}}, first_median).high));
}

TEST(RatioOfRounds, WhatARoundDoesToBothCancels) {
  std::vector<double> above, below;
  for (int round = 0; round < 31; ++round) {
    const double drift = 1 + 0.3 * ((round * 7) % 11);  // of both; the ratio of each round is 2 or nearly
    above.push_back(20 * drift * (1 + 0.001 * (round % 3)));
    below.push_back(10 * drift);
  }
  const RatioEstimate paired = ratio_of_rounds(above, below);
  EXPECT_NEAR(paired.value, 2, 0.01);
  EXPECT_LT(paired.interval.high - paired.interval.low, 0.01);
  below.push_back(10);  // no longer one a round
  const RatioEstimate loose = ratio_of_rounds(above, below);
  EXPECT_GT(loose.interval.high - loose.interval.low, 0.2);
}

TEST(RatioOfRounds, RoundsWithoutATimeAreNotPassedOver) {
  EXPECT_DOUBLE_EQ(ratio_of_rounds({6, 6, 6}, {3, 3, -1}).value, 2);
  EXPECT_EQ(ratio_of_rounds({6, 6, 6}, {3, -1, -1}).value, k_inf) << "most rounds have no end";
  EXPECT_EQ(ratio_of_rounds({6, 6, 6}, {3, 3, -1}).interval.high, k_inf);
  EXPECT_DOUBLE_EQ(ratio_of_rounds({-6, -6, 6}, {3, 3, 3}).value, 0);
  EXPECT_TRUE(std::isnan(ratio_of_rounds({-1, 0}, {0, -1}).value));
  EXPECT_TRUE(std::isnan(ratio_of_rounds({}, {}).value));
}

TEST(Statistics, WeightedMeanLeavesOutWhatHasNoWeight) {
  EXPECT_DOUBLE_EQ(weighted_mean({{1, 4, std::nan("")}, {1, 2, 0}}), 3);
  EXPECT_TRUE(std::isnan(weighted_mean({{1, 2}, {0, 0}})));
  EXPECT_TRUE(std::isnan(weighted_mean({})));
}

TEST(Statistics, BootstrapOfWeightedMeansIsThatOfEachColumnAlone) {
  WeightedValues half, few, none;
  for (int i = 0; i < 100; ++i) {
    half.value.push_back(i % 2);
    half.weight.push_back(1);
    few.value.push_back(i);
    few.weight.push_back(i < 10);
    none.value.push_back(i);
    none.weight.push_back(0);
  }
  const auto together = bootstrap_weighted_means(std::array{half, few, none});
  ASSERT_EQ(together.size(), 3u);
  // The standard error of a share of 0.5 of 100 is 0.05.
  EXPECT_NEAR(together[0].low, 0.40, 0.02);
  EXPECT_NEAR(together[0].high, 0.60, 0.02);
  EXPECT_LT(together[1].low, 4.5);
  EXPECT_GT(together[1].high, 4.5);
  EXPECT_TRUE(std::isnan(together[2].low));
  EXPECT_EQ(bootstrap_weighted_means(std::array{few})[0].low, together[1].low);
  EXPECT_TRUE(bootstrap_weighted_means({}).empty());
}

}  // namespace
}  // namespace kbv
