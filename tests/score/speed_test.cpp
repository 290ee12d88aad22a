// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sample_observation.h"
#include "base/statistics.h"
#include "score/protocol.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;
using test::good_observation;
using test::protocol;
using test::samples_around;

std::vector<SpeedScore> speed(const Observation& observation, const std::string& rules) {
  const Verdict verdict = judge_observation(observation, protocol(rules));
  EXPECT_TRUE(verdict.correct) << verdict.reason;
  return verdict.speed;
}

TEST(Speed, OwnBaselineFirstThenTheOthers) {
  const auto verified = speed(good_observation(), "verified");
  ASSERT_EQ(verified.size(), 2u);
  EXPECT_EQ(verified[0].baseline, "tf32_on");
  EXPECT_NEAR(verified[0].baseline_us, 25, 1e-9);
  EXPECT_NEAR(verified[0].candidate_us, 20, 1e-9);
  EXPECT_NEAR(verified[0].speedup.value, 1.25, 1e-9);
  EXPECT_TRUE(verified[0].resolved);
  EXPECT_EQ(verified[0].note, "");
  EXPECT_EQ(verified[1].baseline, "eager");

  const auto kernelbench = speed(good_observation(), "kernelbench");
  EXPECT_EQ(kernelbench[0].baseline, "eager");
  EXPECT_NEAR(kernelbench[0].speedup.value, 1.5, 1e-9);
}

TEST(Speed, IntervalHoldsTheValueAndComesFromTheSamples) {
  const SpeedScore score = speed(good_observation(), "verified")[0];
  EXPECT_LT(score.speedup.low, score.speedup.value);
  EXPECT_GT(score.speedup.high, score.speedup.value);
  // Medians of resamples stay within the samples: baseline 24..26, candidate 19..21, the null +-0.5 us.
  EXPECT_GT(score.speedup.low, 23.5 / 21.5);
  EXPECT_LT(score.speedup.high, 26.5 / 18.5);

  Observation exact = good_observation();
  exact.null.attested_us.assign(11, 300);
  exact.candidate_time.attested_us.assign(11, 320);
  exact.baselines[1].time.attested_us.assign(11, 325);
  EXPECT_DOUBLE_EQ(speed(exact, "verified")[0].speedup.low, 1.25);
  EXPECT_DOUBLE_EQ(speed(exact, "verified")[0].speedup.high, 1.25);
}

// The null's spread is (p90 - p10) / 2 = 0.4 us in the good observation, so times from 1.2 us on are resolved.
TEST(Speed, ResolvedOnlyWhenClearOfHowWellTheNullIsKnown) {
  Observation observation = good_observation();
  // The uncertainty of the null's median, as score/speed.cpp derives it from the spread and the number of calls.
  const auto& null = observation.null.attested_us;
  const double least = 3 * spread(null) * 0.98 / std::sqrt(static_cast<double>(null.size()));
  ASSERT_GT(least, 0.1);
  observation.candidate_time.attested_us = samples_around(300 + 1.2 * least, 0.001);
  EXPECT_TRUE(speed(observation, "verified")[0].resolved);

  observation.candidate_time.attested_us = samples_around(300 + 0.8 * least, 0.001);
  const SpeedScore candidate = speed(observation, "verified")[0];
  EXPECT_FALSE(candidate.resolved);
  EXPECT_THAT(candidate.note, HasSubstr("candidate's time"));
  EXPECT_THAT(candidate.note, HasSubstr("does not stand clear"));
  EXPECT_NEAR(candidate.speedup.value, 25 / (0.8 * least), 0.05);  // an estimate, marked as such

  observation = good_observation();
  observation.baselines[1].time.attested_us = samples_around(300 + 0.8 * least, 0.001);
  EXPECT_FALSE(speed(observation, "verified")[0].resolved);
  EXPECT_THAT(speed(observation, "verified")[0].note, HasSubstr("baseline's time"));
  EXPECT_TRUE(speed(observation, "verified")[1].resolved);
}

TEST(Speed, WhatTheNullsOwnKernelTakesIsGivenBack) {
  Observation observation = good_observation();
  observation.null.claimed_us = samples_around(5, 0.001);
  const SpeedScore score = speed(observation, "verified")[0];
  EXPECT_NEAR(score.candidate_us, 25, 0.01);
  EXPECT_NEAR(score.speedup.value, 30.0 / 25, 0.01);
}

/// The good observation with hand-overs of 10 calls: 20 us each for the candidate, 25 and 30 for the baselines.
Observation batched() {
  Observation observation = good_observation();
  observation.timing.batch_calls = 10;
  observation.null.batch_us = samples_around(450, 1);
  observation.candidate_time.batch_us = samples_around(650, 1);
  observation.baselines[0].time.batch_us = samples_around(750, 1);
  observation.baselines[1].time.batch_us = samples_around(700, 1);
  return observation;
}

TEST(Speed, SeveralCallsInAHandOverCountWhereThereAreSuch) {
  Observation observation = batched();
  observation.candidate_time.attested_us = samples_around(324, 0.2);  // within what a single call may differ
  const SpeedScore score = speed(observation, "verified")[0];
  EXPECT_NEAR(score.candidate_us, 20, 0.01);
  EXPECT_NEAR(score.baseline_us, 25, 0.01);
  EXPECT_EQ(score.note, "");
  EXPECT_EQ(score.finding, "faster");
  EXPECT_EQ(speed(observation, "kernelbench")[0].means->calls, 100);
}

TEST(Speed, SingleCallsCountWhereTheyTakeLongerThanThoseInBatches) {
  Observation observation = batched();
  observation.candidate_time.attested_us = samples_around(360, 0.2);
  const SpeedScore score = speed(observation, "verified")[0];
  EXPECT_NEAR(score.candidate_us, 60, 0.1);
  EXPECT_THAT(score.note, HasSubstr("a single call of the candidate takes 60.0 us, one of 10 in a hand-over 20.0 us"));
  EXPECT_EQ(score.finding, "slower");
  // What single calls take longer for the baseline too is how the machine is.
  for (auto& baseline : observation.baselines) baseline.time.attested_us = samples_around(370, 0.2);
  EXPECT_NEAR(speed(observation, "verified")[0].candidate_us, 20, 0.01);
}

TEST(Speed, TheForwardAloneCountsWhereTheWholeAgrees) {
  Observation observation = batched();
  observation.null.batch_forward_us = samples_around(10, 0.01);
  observation.candidate_time.batch_forward_us = samples_around(31, 0.01);  // 21 us a call, the whole says 20
  for (auto& baseline : observation.baselines) baseline.time.batch_forward_us = samples_around(35, 0.01);
  SpeedScore score = speed(observation, "verified")[0];
  EXPECT_NEAR(score.candidate_us, 21, 0.01);
  EXPECT_NEAR(score.baseline_us, 25, 0.01);
  EXPECT_EQ(score.note, "");
  // Nearly nothing by its own word: what it puts off makes the whole longer.
  observation.candidate_time.batch_forward_us = samples_around(11, 0.01);
  score = speed(observation, "verified")[0];
  EXPECT_NEAR(score.candidate_us, 20, 0.01);
  EXPECT_THAT(score.note, HasSubstr("1.0 us by its word, 20.0 us by whole hand-overs"));
}

TEST(Speed, WhatAllOfARoundHaveInCommonDoesNotWidenTheInterval) {
  Observation observation = good_observation();
  const auto width = [&] {
    const auto score = speed(observation, "verified")[0];
    return score.speedup.high - score.speedup.low;
  };
  auto &null = observation.null.attested_us, &own = observation.candidate_time.attested_us,
       &theirs = observation.baselines[1].time.attested_us;
  null.clear(), own.clear(), theirs.clear();
  for (int round = 0; round < 40; ++round) {
    const double drift = round * 2.0, noise = 0.1 * (round % 3);
    null.push_back(300 + drift);
    own.push_back(320 + drift + noise);
    theirs.push_back(325 + drift + noise);
  }
  const double paired = width();
  theirs.push_back(405);  // no longer one entry a round: all are resampled by themselves
  EXPECT_GT(width(), 10 * paired);
}

TEST(Speed, BelowTheFloorThatThisMachineWasMeasuredToHaveNothingIsResolved) {
  Observation observation = good_observation();  // 20 us against 25 us
  observation.timing.floor_us = 19;
  EXPECT_EQ(speed(observation, "verified")[0].finding, "faster");
  observation.timing.floor_us = 22;
  const SpeedScore score = speed(observation, "verified")[0];
  EXPECT_EQ(score.finding, "not resolvable");
  EXPECT_THAT(score.note, HasSubstr("the candidate's time (20.00 us) is below the resolution floor of this machine, 22.00 us"));
  EXPECT_NEAR(score.speedup.value, 1.25, 1e-9) << "still an estimate";
}

TEST(Speed, AProtocolsOwnMeanTakesTheFirstCalls) {
  Observation observation = good_observation();
  observation.null.attested_us = samples_around(300, 0.01);
  auto& own = observation.candidate_time.attested_us;
  own.assign(200, 310.0);
  std::fill(own.begin() + 100, own.end(), 9000.0);  // beyond KernelBench's 100
  own[20] = 1310;                                   // an outlier moves a mean, not the median; beyond the paper's 10
  for (auto& baseline : observation.baselines) baseline.time.attested_us.assign(200, 330.0);
  const auto kernelbench = speed(observation, "kernelbench")[0].means, verified = speed(observation, "verified")[0].means;
  ASSERT_TRUE(kernelbench && verified);
  EXPECT_EQ(kernelbench->calls, 100);
  EXPECT_NEAR(kernelbench->speedup, 1.5, 0.01);  // 30 us to a mean of 20
  EXPECT_EQ(verified->calls, 10);
  EXPECT_NEAR(verified->speedup, 3.0, 0.01);
  EXPECT_FALSE(speed(observation, "attested")[0].means);
  own.resize(4);
  EXPECT_EQ(speed(observation, "kernelbench")[0].means->calls, 4);
  own.assign(4, 299.0);
  EXPECT_FALSE(speed(observation, "kernelbench")[0].means);
}

TEST(Speed, FasterOnlyIfTheWholeIntervalIsAboveOne) {
  Observation observation = good_observation();  // tf32_on takes 25 us
  observation.candidate_time.attested_us = samples_around(320, 0.2);
  EXPECT_EQ(speed(observation, "verified")[0].finding, "faster");
  observation.candidate_time.attested_us = samples_around(340, 0.2);
  EXPECT_EQ(speed(observation, "verified")[0].finding, "slower");
  observation.candidate_time.attested_us = samples_around(324.9, 3);  // a little faster by its median, but who knows
  const SpeedScore same = speed(observation, "verified")[0];
  EXPECT_GT(same.speedup.value, 1);
  EXPECT_LT(same.speedup.low, 1);
  EXPECT_EQ(same.finding, "no difference");
  observation.candidate_time.attested_us = samples_around(300.01, 0.001);
  EXPECT_EQ(speed(observation, "verified")[0].finding, "not resolvable");
}

TEST(Speed, NegativeAndZeroTimesGiveNoRatio) {
  for (const double us : {299.0, 300.0}) {
    Observation observation = good_observation();
    observation.candidate_time.attested_us = samples_around(us, 0.1);
    const SpeedScore score = speed(observation, "verified")[0];
    EXPECT_FALSE(score.resolved);
    EXPECT_EQ(score.speedup.value, 0);
    EXPECT_EQ(score.speedup.high, 0);
    EXPECT_FALSE(score.note.empty());

    observation = good_observation();
    observation.baselines[1].time.attested_us = samples_around(us, 0.1);
    EXPECT_EQ(speed(observation, "verified")[0].speedup.value, 0);
    EXPECT_FALSE(speed(observation, "verified")[0].resolved);
  }
}

TEST(Speed, AnIntervalWithoutEndIsNotResolved) {
  Observation observation = good_observation();
  observation.candidate_time.attested_us = {250, 250, 305, 305, 305};  // a resample's median is below the null at times
  const SpeedScore score = speed(observation, "verified")[0];
  EXPECT_NEAR(score.speedup.value, 5, 1e-9);
  EXPECT_TRUE(std::isinf(score.speedup.high));
  EXPECT_FALSE(score.resolved);
  EXPECT_FALSE(score.note.empty());
}

TEST(Speed, OnTheHostEagerStandsInForTf32) {
  Observation observation = good_observation();
  observation.machine.backend = "host";
  observation.baselines.pop_back();
  const auto scores = speed(observation, "attested");
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_EQ(scores[0].baseline, "eager");
  EXPECT_THAT(scores[0].note, HasSubstr("tf32_on does not exist on a CPU"));
  EXPECT_TRUE(scores[0].resolved);
  EXPECT_EQ(speed(observation, "kernelbench")[0].note, "");
}

TEST(Speed, AMissingBaselineStaysFirstWithoutATime) {
  Observation observation = good_observation();
  observation.baselines[1].ok = false;
  observation.baselines[1].problem = "out of memory";
  auto scores = speed(observation, "verified");
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].baseline, "tf32_on");
  EXPECT_EQ(scores[0].speedup.value, 0);
  EXPECT_FALSE(scores[0].resolved);
  EXPECT_EQ(scores[0].note, "baseline tf32_on has no time: out of memory");

  observation.baselines.pop_back();
  scores = speed(observation, "verified");
  EXPECT_EQ(scores[0].note, "baseline tf32_on was not measured");
  EXPECT_EQ(scores[1].baseline, "eager");
}

TEST(Speed, NothingTimedMeansNoScores) {
  Observation observation = good_observation();
  observation.candidate_time = {};
  EXPECT_TRUE(speed(observation, "verified").empty());
}

TEST(Speed, WithoutTheNullThereIsNoTime) {
  Observation observation = good_observation();
  observation.null = {};
  const SpeedScore score = speed(observation, "verified")[0];
  EXPECT_FALSE(score.resolved);
  EXPECT_EQ(score.candidate_us, 0);
  EXPECT_THAT(score.note, HasSubstr("no usable time"));
}

}  // namespace
}  // namespace kbv
