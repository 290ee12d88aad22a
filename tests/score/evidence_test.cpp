// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_observation.h"
#include "score/protocol.h"

namespace kbv {
namespace {

using test::good_observation;
using test::samples_around;
using testing::HasSubstr;

std::vector<Evidence> evidence(const Observation& observation) {
  return judge_observation(observation, test::protocol("verified")).evidence;
}

/// Its text; empty if there is none of that kind.
std::string told(const Observation& observation, const std::string& kind) {
  for (const Evidence& found : evidence(observation))
    if (found.kind == kind) return found.text;
  return {};
}

TEST(Evidence, ACallThatNoKernelNeedsIsToldAndDecidesNothing) {
  Observation observation = good_observation();
  observation.refused_calls = {{"seccomp", "io_uring_setup", false}};
  EXPECT_TRUE(evidence(observation).empty()) << "libraries ask for it too";
  observation.refused_calls.push_back({"seccomp", "ptrace", true});
  const auto found = evidence(observation);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "refused_call");
  EXPECT_NE(found[0].text.find("seccomp: ptrace"), std::string::npos) << found[0].text;
  EXPECT_EQ(found[0].text.find("io_uring"), std::string::npos) << found[0].text;
  EXPECT_TRUE(judge_observation(observation, test::protocol("verified")).correct);
}

TEST(Evidence, NoneOfAnHonestCandidate) { EXPECT_TRUE(evidence(good_observation()).empty()); }

TEST(Evidence, AProblemThatIsKnownToBeVacuous) {
  Observation observation = good_observation();
  observation.problem.sha256 =
      "44dff2e3c3e9b014df3f41f40e3678aa17830ecc7b161d2f142f556f87ee134c";  // KernelBench's level 2 no. 80
  EXPECT_THAT(told(observation, "vacuous_problem"),
              testing::AllOf(HasSubstr("0 for every input"), HasSubstr("a speedup on it says nothing")));
}

TEST(Evidence, AClaimFarFromTheClock) {
  Observation observation = good_observation();  // 20 us by the clock
  observation.candidate_time.claimed_us = samples_around(16, 0.1);
  EXPECT_EQ(told(observation, "timing_mismatch"), "");
  observation.candidate_time.claimed_us = samples_around(2, 0.1);
  EXPECT_THAT(told(observation, "timing_mismatch"), HasSubstr("claims 2.0 us, and the judge measured 20.0 us"));
  observation.candidate_time.claimed_us = samples_around(30, 0.1);
  EXPECT_THAT(told(observation, "timing_mismatch"), HasSubstr("claims 30.0 us"));
}

TEST(Evidence, TracedKernelsThatDoNotFitIntoTheTime) {
  Observation observation = good_observation();
  observation.candidate_kernels.emplace();
  observation.candidate_kernels->kernels.resize(2);
  for (TracedKernel& kernel : observation.candidate_kernels->kernels) kernel.total_ns = 9'000;
  EXPECT_EQ(told(observation, "timing_mismatch"), "");
  observation.candidate_kernels->kernels[1].total_ns = 90'000;
  EXPECT_THAT(told(observation, "timing_mismatch"), HasSubstr("its kernels take 99.0 us together"));
}

TEST(Evidence, ATimeBelowWhatMemoryDelivers) {
  Observation observation = good_observation();
  observation.candidate_memory.input_bytes = 400u << 20;
  observation.timing.memory_bytes_per_s = 4e12;  // 87 us at 1.2 times that
  EXPECT_THAT(told(observation, "below_floor"), HasSubstr("is less than the 87.38 us that 419.4 MB"));
  EXPECT_TRUE(judge_observation(observation, test::protocol("verified")).correct) << "a finding, not a verdict";
  observation.timing.cache_rule = "warm: caches as the copy of fresh inputs leaves them";
  EXPECT_EQ(told(observation, "below_floor"), "");
  observation.timing.cache_rule = "cold";
  observation.candidate_memory.input_bytes = 64u << 20;
  EXPECT_EQ(told(observation, "below_floor"), "");
}

TEST(Evidence, ATimeBelowWhatTheOperationsTake) {
  Observation observation = good_observation();
  observation.timing.operations = 137'438'953'472;  // a product of 4096 x 4096
  EXPECT_EQ(told(observation, "below_floor"), "") << "the rate is not known";
  observation.timing.operations_per_s = 8e14;  // 143 us at 1.2 times that
  EXPECT_THAT(told(observation, "below_floor"),
              HasSubstr("is less than the 143.17 us that the reference's 137.4 GFLOP"));
  observation.timing.operations = 1'000'000'000;
  EXPECT_EQ(told(observation, "below_floor"), "");
}

TEST(Evidence, WhatCountsInsteadOfTheForward) {
  Observation observation = good_observation();
  observation.null.forward_us = samples_around(10, 0.01);
  for (auto& baseline : observation.baselines) baseline.time.forward_us = samples_around(35, 0.01);
  observation.candidate_time.forward_us = samples_around(11, 0.01);
  observation.null.attested_us = samples_around(300, 0.01);
  observation.candidate_time.attested_us = samples_around(400, 0.01);
  EXPECT_THAT(told(observation, "work_after_forward"), HasSubstr("1.0 us by its word, 100.0 us by whole hand-overs"));
}

TEST(Evidence, WhatItDidBesides) {
  Observation observation = good_observation();
  observation.timing.busy_after_calls = 3;
  observation.timing.longest_busy_ms = 20;
  observation.cases[2].mutated_inputs = true;
  observation.candidate_memory = test::make_memory(1u << 20, 0, 200u << 20);
  EXPECT_THAT(told(observation, "busy_after_calls"), HasSubstr("after 3 of its hand-overs"));
  EXPECT_THAT(told(observation, "inputs_written"), HasSubstr("in 1 of 25 cases"));
  EXPECT_THAT(told(observation, "memory_mismatch"), HasSubstr("taken past it"));
}

TEST(Evidence, OfARejectedCandidateToo) {
  Observation observation = good_observation();
  test::case_of(observation, "hidden-D4").outputs[0] = test::make_output({1, 2}, {1, 3});
  observation.cases[2].mutated_inputs = true;
  const Verdict verdict = judge_observation(observation, test::protocol("verified"));
  EXPECT_FALSE(verdict.correct);
  EXPECT_EQ(verdict.evidence.size(), 1u);
  EXPECT_TRUE(verdict.speed.empty());
  EXPECT_NEAR(verdict.time_us.value(), 20, 0.01) << "what it took is known all the same";
}

}  // namespace
}  // namespace kbv
