// SPDX-License-Identifier: MIT
#include "judge/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/statistics.h"

namespace kbv {
namespace {

std::vector<double> normal(double mean, double deviation, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> distribution(mean, deviation);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = distribution(random);
  return values;
}

TEST(Sampling, TheUncertaintyIsTrueOfNormalSamples) {
  // In about 95 of 100 experiments the net median lies within the stated uncertainty of the true net time.
  int within = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto calls = normal(500, 10, 60, 2 * seed), null = normal(300, 5, 60, 2 * seed + 1);
    const double net = median(calls) - median(null);
    within += std::abs(net - 200) <= net_time_uncertainty(calls, null) * net;
  }
  EXPECT_GT(within, 360);
  EXPECT_LT(within, 396);
}

TEST(Sampling, MoreCallsMakeItSmallerAndNoiseLarger) {
  const auto null = normal(300, 5, 400, 7);
  EXPECT_LT(net_time_uncertainty(normal(500, 10, 400, 1), null), net_time_uncertainty(normal(500, 10, 25, 1), null));
  EXPECT_LT(net_time_uncertainty(normal(500, 10, 400, 1), null), net_time_uncertainty(normal(500, 40, 400, 1), null));
}

TEST(Sampling, WhatIsNotAboveTheNullIsNotKnownAtAll) {
  const auto null = normal(300, 5, 50, 3);
  EXPECT_TRUE(std::isinf(net_time_uncertainty(null, null)));
  EXPECT_TRUE(std::isinf(net_time_uncertainty(normal(290, 5, 50, 4), null)));
  EXPECT_TRUE(std::isinf(net_time_uncertainty({}, null)));
}

TEST(Sampling, LimitsInTheirOrder) {
  SamplingLimits limits;
  limits.min_calls = 10, limits.max_calls = 100, limits.budget_s = 3, limits.precision = 0.01;
  EXPECT_EQ(sampling_ends(limits, 0, 99, 0), "") << "the least number of calls is always made";
  EXPECT_EQ(sampling_ends(limits, 9, 99, 0), "");
  EXPECT_EQ(sampling_ends(limits, 10, 0, 0.01), "precision");
  EXPECT_EQ(sampling_ends(limits, 10, 0, 0.02), "");
  EXPECT_EQ(sampling_ends(limits, 10, 3, 0.02), "time budget");
  EXPECT_EQ(sampling_ends(limits, 100, 0, 0.001), "call limit");
  limits.precision = 0;
  EXPECT_EQ(sampling_ends(limits, 50, 0, 0.0001), "");
  limits.max_calls = 3;  // fewer than the least: the most counts
  EXPECT_EQ(sampling_ends(limits, 3, 0, 1), "call limit");
}

}  // namespace
}  // namespace kbv
