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
    const NetTime net = net_time({calls, {}, {}, {}, {}, {}}, {null, {}, {}, {}, {}, {}}, 1, Span::whole);
    within += std::abs(net.time_us - 200) <= net.uncertainty_us;
  }
  EXPECT_GT(within, 360);
  EXPECT_LT(within, 396);
}

TEST(Sampling, MoreCallsMakeItSmallerAndNoiseLarger) {
  const TimeSamples null{normal(300, 5, 400, 7), {}, {}, {}, {}, {}};
  const auto uncertainty = [&](double deviation, int count) {
    return net_time({normal(500, deviation, count, 1), {}, {}, {}, {}, {}}, null, 1, Span::whole).uncertainty_us;
  };
  EXPECT_LT(uncertainty(10, 400), uncertainty(10, 25));
  EXPECT_LT(uncertainty(10, 400), uncertainty(40, 400));
  EXPECT_TRUE(std::isinf(uncertainty(10, 1)));
  EXPECT_TRUE(std::isnan(net_time({}, null, 1, Span::whole).time_us));
}

TEST(Sampling, ABatchDividesWhatTheHandOverCosts) {
  const TimeSamples null{{300, 300}, {10, 10}, {5, 5}, {500, 500}, {10, 10}, {5, 5}}, own{{330, 330}, {34, 34}, {28, 28}, {700, 700}, {31, 31}, {28, 28}};
  EXPECT_DOUBLE_EQ(net_time(own, null, 10, Span::whole).time_us, 20 + 5);
  EXPECT_DOUBLE_EQ(net_time(own, null, 10, Span::forward).time_us, 21 + 5);
  EXPECT_DOUBLE_EQ(net_time(own, null, 10, Span::forward).bound_us, 70);
  EXPECT_DOUBLE_EQ(net_time(own, null, 1, Span::whole).time_us, 30 + 5);
  EXPECT_DOUBLE_EQ(net_time(own, null, 1, Span::forward).time_us, 24 + 5);
  EXPECT_DOUBLE_EQ(net_time({own.attested_us, {}, {}, {}, {}, {}}, null, 10, Span::forward).time_us, 35) << "no forwards: the whole";
}

TEST(Sampling, WhatTheNullsKernelTakesIsNoPartOfTheZero) {
  // The first rounds' kernel is nearly nothing, the later ones' waits, and not equally long: 8 us remain of each.
  const TimeSamples null{{305, 380, 400}, {10, 80, 100}, {2, 72, 92}, {}, {}, {}};
  const TimeSamples own{{340, 345, 345}, {45, 45, 45}, {37, 37, 37}, {}, {}, {}};
  EXPECT_EQ(zero_samples(null, 1, Span::forward, false), (std::vector<double>{8, 8, 8}));
  EXPECT_EQ(zero_samples(null, 1, Span::whole, false), (std::vector<double>{303, 308, 308}));
  EXPECT_DOUBLE_EQ(net_time(own, null, 1, Span::forward).time_us, 37);
  EXPECT_DOUBLE_EQ(net_time(own, null, 1, Span::whole).time_us, 37);
}

TEST(Sampling, ShortCallsComeInBatches) {
  BatchFacts facts;
  facts.fastest_us = facts.slowest_us = 200;
  facts.slot_bytes = 8 << 20;
  facts.free_bytes = 100ull << 30;
  facts.bytes_per_s = 4e12;
  EXPECT_EQ(choose_batch(facts).calls, 10);
  facts.fastest_us = 3;
  EXPECT_EQ(choose_batch(facts).calls, 32);
  facts.fastest_us = -4;  // below the null: as short as can be
  EXPECT_EQ(choose_batch(facts).calls, 32);
  facts.slowest_us = 50'000;  // beside a slow one
  EXPECT_EQ(choose_batch(facts).calls, 5);
  facts.fastest_us = facts.slowest_us = 2500;
  EXPECT_EQ(choose_batch(facts).why_single, "a call is long enough");
  facts.fastest_us = facts.slowest_us = 100;
  facts.slot_bytes = 4ull << 30;
  EXPECT_EQ(choose_batch(facts).why_single, "more calls at once do not fit into memory");
  facts.slot_bytes = 1 << 20;
  facts.state_bytes = 20 << 20;  // 5 us to read
  EXPECT_EQ(choose_batch(facts).calls, 1);
  facts.state_bytes = 1 << 20;
  EXPECT_EQ(choose_batch(facts).calls, 20);
  facts.draws_random = true;
  EXPECT_EQ(choose_batch(facts).why_single, "the forward draws random numbers");
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
