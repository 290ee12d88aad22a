// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_observation.h"
#include "score/protocol.h"

namespace kbv {
namespace {

using test::good_observation;
using test::make_memory;

constexpr std::uint64_t k_mib = 1u << 20;

std::optional<MemoryScore> memory(const Observation& observation, const std::string& rules = "verified") {
  return judge_observation(observation, test::protocol(rules)).memory;
}

TEST(Memory, ClaimedPeaksAndInputs) {
  const auto score = memory(good_observation());
  ASSERT_TRUE(score);
  EXPECT_EQ(score->baseline_name, "tf32_on");
  EXPECT_EQ(score->baseline.peak_bytes, 16 * k_mib);   // 12 + 4
  EXPECT_EQ(score->candidate.peak_bytes, 12 * k_mib);  // 8 + 4
  EXPECT_DOUBLE_EQ(score->ratio, 16.0 / 12);
  EXPECT_EQ(score->note, "");
  EXPECT_EQ(judge_observation(good_observation(), test::protocol("verified")).memory_ratio, score->ratio);
}

TEST(Memory, OnlyWhereTheProtocolAsks) { EXPECT_FALSE(memory(good_observation(), "kernelbench")); }

TEST(Memory, ObservedGrowthOnTheHost) {
  Observation observation = good_observation();
  observation.machine.backend = "host";
  observation.baselines.pop_back();
  for (MemoryReading* reading : {&observation.baselines[0].memory, &observation.candidate_memory}) {
    reading->claimed_peak_bytes.reset();
    reading->claimed_base_bytes.reset();
    reading->state_bytes = 2 * k_mib;
  }
  const auto score = memory(observation);
  ASSERT_TRUE(score);
  EXPECT_EQ(score->baseline_name, "eager");
  EXPECT_EQ(score->baseline.peak_bytes, 18 * k_mib);   // 2 + 4 + 12
  EXPECT_EQ(score->candidate.peak_bytes, 14 * k_mib);  // 2 + 4 + 8
}

TEST(Memory, ThePartsMakeUpThePeak) {
  Observation observation = good_observation();
  observation.candidate_memory = make_memory(30 * k_mib, 22 * k_mib, 8 * k_mib);
  observation.candidate_memory.state_bytes = 16 * k_mib;
  observation.baselines[1].memory = make_memory(40 * k_mib, 16 * k_mib, 24 * k_mib);
  observation.baselines[1].memory.state_bytes = 16 * k_mib;
  const auto score = memory(observation);
  ASSERT_TRUE(score);
  const MemoryParts& own = score->candidate;
  EXPECT_EQ(own.state_bytes, 16 * k_mib);
  EXPECT_EQ(own.input_bytes, 4 * k_mib);
  EXPECT_EQ(own.kept_bytes, 6 * k_mib) << "held between calls, and no parameter";
  EXPECT_EQ(own.working_bytes, 8 * k_mib);
  EXPECT_EQ(own.peak_bytes, own.state_bytes + own.input_bytes + own.kept_bytes + own.working_bytes);
  EXPECT_DOUBLE_EQ(score->ratio, 44.0 / 34);
  EXPECT_DOUBLE_EQ(score->own_ratio.value(), 24.0 / 14) << "parameters and inputs are nobody's merit";
  // Parameters that are claimed but lie nowhere make no room for others.
  observation.candidate_memory.state_bytes = 100 * k_mib;
  EXPECT_EQ(memory(observation)->candidate.kept_bytes, 0u);
  EXPECT_EQ(memory(observation)->candidate.peak_bytes, 34 * k_mib);
}

TEST(Memory, OneClaimMissingMeansObservedOnBothSides) {
  Observation observation = good_observation();
  observation.candidate_memory.claimed_peak_bytes.reset();
  observation.baselines[1].memory.observed_growth_bytes = 20 * k_mib;
  const auto score = memory(observation);
  ASSERT_TRUE(score);
  EXPECT_EQ(score->baseline.peak_bytes, 24 * k_mib);
  EXPECT_EQ(score->candidate.peak_bytes, 12 * k_mib);
}

TEST(Memory, TheSameIfItIsTheBaselinesClaim) {
  Observation observation = good_observation();
  observation.baselines[1].memory.claimed_peak_bytes.reset();
  observation.candidate_memory.observed_growth_bytes = 28 * k_mib;
  const auto score = memory(observation);
  ASSERT_TRUE(score);
  EXPECT_EQ(score->baseline.peak_bytes, 16 * k_mib);
  EXPECT_EQ(score->candidate.peak_bytes, 32 * k_mib);
}

TEST(Memory, AClaimThatTheDeviceContradictsDoesNotCount) {
  Observation observation = good_observation();
  observation.candidate_memory = make_memory(1 * k_mib, 0, 200 * k_mib);  // cudaMalloc behind the allocator's back
  const auto score = memory(observation);
  ASSERT_TRUE(score);
  EXPECT_EQ(score->candidate.peak_bytes, 204 * k_mib);
  EXPECT_NE(score->note, "");
  EXPECT_LT(score->ratio, 0.1);

  observation.candidate_memory = make_memory(8 * k_mib, 0, 70 * k_mib);  // within an allocator's rounding
  EXPECT_EQ(memory(observation)->candidate.peak_bytes, 12 * k_mib);
}

TEST(Memory, AbsurdClaimsDoNotWrap) {
  Observation observation = good_observation();
  observation.candidate_memory.claimed_peak_bytes = ~std::uint64_t{0};
  const auto score = memory(observation);
  ASSERT_TRUE(score);
  EXPECT_LT(score->ratio, 1e-6);
}

TEST(Memory, NothingWhereNothingWasMeasured) {
  Observation no_candidate = good_observation();
  no_candidate.candidate_memory = {};
  EXPECT_FALSE(memory(no_candidate));
  Observation no_baseline = good_observation();
  no_baseline.baselines[1].ok = false;
  EXPECT_FALSE(memory(no_baseline));
  Observation zero = good_observation();
  zero.candidate_memory = {};
  zero.candidate_memory.claimed_peak_bytes = 0;
  EXPECT_FALSE(memory(zero));
}

}  // namespace
}  // namespace kbv
