// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sample_observation.h"
#include "score/protocol.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using test::case_of;
using test::fail_from;
using test::good_observation;
using test::protocol;

const std::vector<std::string> k_all{"kernelbench", "verified", "attested"};
const Error k_crash{Fault::candidate, "crash", "the worker died of signal 11", ""};

Verdict judge(const Observation& observation, const std::string& rules) {
  return judge_observation(observation, protocol(rules));
}

TEST(Judge, HonestCandidateIsCorrectUnderAll) {
  for (const std::string& rules : k_all) {
    const Verdict verdict = judge(good_observation(), rules);
    EXPECT_TRUE(verdict.correct) << verdict.reason;
    EXPECT_EQ(verdict.code, "correct");
    EXPECT_EQ(verdict.protocol, rules);
    EXPECT_EQ(verdict.title, protocol(rules).title);
    EXPECT_EQ(verdict.worst_case, "");
    EXPECT_FALSE(verdict.speed.empty());
  }
  EXPECT_EQ(judge(good_observation(), "attested").reason,
            "every output is right in 5 trials, 4 hidden inputs, 12 families of inputs, 1 repeated call and 3 timed calls; "
            "the largest error is 0.0033 of what is allowed");
}

// A kernel that returns its input is a right ReLU for the positive inputs that the problem draws: kernelbench's hole.
TEST(Judge, IdentityForReluPassesKernelbenchAndFailsVerified) {
  Observation observation = good_observation();
  observation.cases = test::relu_cases([](double x) { return x; });
  EXPECT_TRUE(judge(observation, "kernelbench").correct);
  for (const std::string rules : {"verified", "attested"}) {
    const Verdict verdict = judge(observation, rules);
    EXPECT_FALSE(verdict.correct);
    EXPECT_EQ(verdict.code, "wrong_output");
    EXPECT_EQ(verdict.worst_case, "hidden-D4");
    EXPECT_EQ(verdict.reason, "hidden-D4 (D1 x -1): output[1, 1] is -0.875, expected 0: error 0.875, tolerance 0.001");
    EXPECT_THAT(verdict.speed, IsEmpty());
    EXPECT_FALSE(verdict.memory_ratio.has_value());
  }
}

TEST(Judge, WrongTimedOutputCountsForAttestedOnly) {
  Observation observation = good_observation();
  case_of(observation, "timed-1").outputs[0].stats.tau = 0.5;
  EXPECT_TRUE(judge(observation, "kernelbench").correct);
  EXPECT_TRUE(judge(observation, "verified").correct);
  EXPECT_EQ(judge(observation, "attested").code, "wrong_output");
  EXPECT_EQ(judge(observation, "attested").worst_case, "timed-1");
}

TEST(Judge, OnlyTheFirstTrialsCount) {
  Observation observation = good_observation();
  case_of(observation, "trial-3").outputs[0].stats.tau = 0.5;
  EXPECT_TRUE(judge(observation, "verified").correct);
  EXPECT_EQ(judge(observation, "kernelbench").worst_case, "trial-3");
}

TEST(Judge, AnyWrongOutputOfACaseDecides) {
  Observation observation = good_observation();
  OutputCheck second = observation.cases[0].outputs[0];
  second.path = "output[1]";
  observation.output_layout.push_back(second);
  for (CaseResult& result : observation.cases) result.outputs.push_back(second);
  EXPECT_TRUE(judge(observation, "attested").correct);
  case_of(observation, "hidden-D2").outputs[1].stats.tau = 0.5;
  EXPECT_THAT(judge(observation, "attested").reason, HasSubstr("hidden-D2 (D1 x 3): output[1]["));
}

TEST(Judge, NonfiniteIsWrongAndNamed) {
  Observation observation = good_observation();
  case_of(observation, "trial-0").outputs[0].stats.nonfinite = 2;
  for (const std::string& rules : k_all) {
    EXPECT_EQ(judge(observation, rules).code, "wrong_output");
    EXPECT_THAT(judge(observation, rules).reason, HasSubstr("2 of 6 elements are NaN or infinite"));
  }
}

TEST(Judge, MachineAndProblemFaultsAreNoVerdict) {
  for (const std::string& rules : k_all) {
    Observation observation = good_observation();
    case_of(observation, "trial-0").outputs[0].stats.tau = 0.5;  // not even a wrong output counts
    observation.fault = Error{Fault::machine, "gpu_lost", "the GPU fell off the bus", ""};
    EXPECT_EQ(judge(observation, rules).code, "machine_error");
    EXPECT_EQ(judge(observation, rules).reason, "the GPU fell off the bus");
    observation.fault = Error{Fault::problem, "reference_error", "Model raised", ""};
    EXPECT_EQ(judge(observation, rules).code, "problem_error");
    observation.fault = Error{Fault::usage, "bad_constant", "no constant N", ""};
    EXPECT_EQ(judge(observation, rules).code, "problem_error");

    Observation good = good_observation();  // all cases passed, the machine failed later
    good.fault = Error{Fault::machine, "disk_full", "disk full", ""};
    EXPECT_FALSE(judge(good, rules).correct);
  }
}

TEST(Judge, CandidateFaultBeforeAnyCase) {
  Observation observation = good_observation();
  observation.cases.clear();
  observation.fault = Error{Fault::candidate, "build_error", "relu.cu(3): error: expected a ;", "log"};
  for (const std::string& rules : k_all) {
    EXPECT_EQ(judge(observation, rules).code, "build_error");
    EXPECT_EQ(judge(observation, rules).reason, "relu.cu(3): error: expected a ;");
  }
}

TEST(Judge, CrashInATrial) {
  Observation observation = good_observation();
  fail_from(observation, "trial-2", k_crash);
  EXPECT_EQ(judge(observation, "kernelbench").code, "crash");
  EXPECT_EQ(judge(observation, "kernelbench").worst_case, "trial-2");
  EXPECT_EQ(judge(observation, "verified").worst_case, "hidden-D1");  // its one trial passed
}

TEST(Judge, CrashWhereKernelbenchDoesNotLook) {
  Observation observation = good_observation();
  fail_from(observation, "hidden-D2", k_crash);
  const Verdict lenient = judge(observation, "kernelbench");
  EXPECT_TRUE(lenient.correct);
  EXPECT_THAT(lenient.speed, IsEmpty());
  EXPECT_EQ(judge(observation, "verified").code, "crash");
  EXPECT_EQ(judge(observation, "attested").code, "crash");
  // The same when the observation ends with the case that failed.
  observation.cases.resize(7);
  EXPECT_TRUE(judge(observation, "kernelbench").correct);
  EXPECT_EQ(judge(observation, "verified").code, "crash");
}

TEST(Judge, CrashWhileTimedCostsAttestedOnly) {
  Observation observation = good_observation();
  fail_from(observation, "timed-0", k_crash);
  std::erase_if(observation.cases, [](const CaseResult& result) { return result.kind == "timed"; });
  EXPECT_TRUE(judge(observation, "kernelbench").correct);
  EXPECT_TRUE(judge(observation, "verified").correct);
  EXPECT_EQ(judge(observation, "attested").code, "crash");
}

TEST(Judge, AWrongOutputBeforeTheCrashDecides) {
  Observation observation = good_observation();
  fail_from(observation, "trial-2", k_crash);
  case_of(observation, "trial-1").outputs[0].stats.tau = 0.5;
  EXPECT_EQ(judge(observation, "kernelbench").code, "wrong_output");
}

TEST(Judge, AFaultCannotBeNamedLikeAVerdict) {
  for (const std::string code : {"", "correct", "machine_error", "problem_error", "not_tried"}) {
    Observation observation = good_observation();
    observation.cases.clear();
    observation.fault = Error{Fault::candidate, code, "?", ""};
    EXPECT_EQ(judge(observation, "attested").code, "runtime_error");
    EXPECT_FALSE(judge(observation, "attested").correct);
  }
}

TEST(Judge, DroppedCasesCountForNobody) {
  Observation observation = good_observation();
  CaseResult& dropped = case_of(observation, "hidden-D2");
  dropped.dropped = true;
  dropped.ran = false;
  dropped.outputs[0].stats.nonfinite = 6;
  const Verdict verdict = judge(observation, "verified");
  EXPECT_TRUE(verdict.correct);
  EXPECT_THAT(verdict.reason, HasSubstr("3 hidden inputs"));
  EXPECT_THAT(verdict.reason, HasSubstr("1 case is not counted"));
}

TEST(Judge, NothingLeftIsTheProblemsFault) {
  Observation observation = good_observation();
  for (CaseResult& result : observation.cases) result.dropped = result.kind != "hidden" || result.distribution != "D3";
  EXPECT_EQ(judge(observation, "kernelbench").code, "problem_error");
  EXPECT_EQ(judge(observation, "kernelbench").reason, "no distribution under which the reference is finite");
  EXPECT_TRUE(judge(observation, "verified").correct);
  case_of(observation, "hidden-D3").dropped = true;
  EXPECT_EQ(judge(observation, "verified").code, "problem_error");
}

// What the user left out is neither the machine's fault nor the candidate's, and never a pass.
TEST(Judge, WhatNobodyAskedForIsTheUsersChoice) {
  const auto without = [](auto is_left_out) {
    Observation observation = good_observation();
    std::erase_if(observation.cases, is_left_out);
    return observation;
  };
  const Observation few = without([](const CaseResult& r) { return r.id == "trial-4"; });
  EXPECT_EQ(judge(few, "kernelbench").code, "not_tried");
  EXPECT_EQ(judge(few, "kernelbench").reason, "kernelbench needs 5 trials, and 4 were made (--trials), so this protocol can't tell");
  const Observation one = without([](const CaseResult& r) { return r.kind == "trial" && r.id != "trial-0"; });
  EXPECT_THAT(judge(one, "kernelbench").reason, HasSubstr("and 1 was made"));

  Observation no_families = without([](const CaseResult& r) { return r.kind == "family" || r.kind == "contract" || r.kind == "parameters"; });
  no_families.parameters = {};
  EXPECT_EQ(judge(no_families, "attested").code, "not_tried");
  EXPECT_FALSE(judge(no_families, "attested").correct);
  EXPECT_THAT(judge(no_families, "attested").reason, HasSubstr("--no-families"));
  EXPECT_TRUE(judge(no_families, "verified").correct) << "it needs none";

  const Observation no_repeats = without([](const CaseResult& r) { return r.kind == "contract"; });
  EXPECT_EQ(judge(no_repeats, "attested").code, "not_tried");
  Observation no_parameters = without([](const CaseResult& r) { return r.kind == "parameters"; });
  no_parameters.parameters = {};
  EXPECT_EQ(judge(no_parameters, "attested").code, "not_tried");
  EXPECT_THAT(judge(no_parameters, "attested").reason, HasSubstr("--no-parameters"));

  Observation failed = few;
  failed.fault = Error{Fault::candidate, "crash", "it died", {}};
  EXPECT_EQ(judge(failed, "kernelbench").code, "crash") << "the candidate's fault comes first";
  failed.fault->fault = Fault::machine;
  EXPECT_EQ(judge(failed, "kernelbench").code, "machine_error");
  for (const char* code : {"machine_error", "problem_error", "not_tried"}) EXPECT_FALSE(is_verdict(code));
  for (const char* code : {"correct", "wrong_output", "crash"}) EXPECT_TRUE(is_verdict(code));
}

TEST(Judge, IncompleteIsNeverCorrect) {
  Observation not_run = good_observation();
  case_of(not_run, "hidden-D3").ran = false;
  EXPECT_EQ(judge(not_run, "verified").code, "machine_error");
  EXPECT_EQ(judge(not_run, "verified").reason, "incomplete: hidden-D3 did not run");
  EXPECT_TRUE(judge(not_run, "kernelbench").correct);

  Observation absent = good_observation();
  std::erase_if(absent.cases, [](const CaseResult& r) { return r.id == "hidden-D3" || r.id == "trial-4"; });
  EXPECT_THAT(judge(absent, "verified").reason, HasSubstr("no hidden case under D3"));
  EXPECT_EQ(judge(absent, "verified").code, "machine_error");

  Observation uncompared = good_observation();
  std::erase_if(uncompared.cases, [](const CaseResult& r) { return r.kind == "timed"; });
  EXPECT_EQ(judge(uncompared, "attested").code, "machine_error");
  uncompared.candidate_time = {};  // not timed at all: there is nothing to compare
  EXPECT_TRUE(judge(uncompared, "attested").correct);

  Observation empty = good_observation();
  empty.cases.clear();
  for (const std::string& rules : k_all) EXPECT_EQ(judge(empty, rules).code, "machine_error");
  for (const std::string& rules : k_all) EXPECT_EQ(judge(Observation(), rules).code, "machine_error");
}

TEST(Judge, AComparisonThatDidNotLookIsIncomplete) {
  Observation observation = good_observation();
  case_of(observation, "trial-0").outputs.clear();
  EXPECT_EQ(judge(observation, "kernelbench").code, "machine_error");
  observation = good_observation();
  case_of(observation, "trial-0").outputs[0].stats = {};
  EXPECT_EQ(judge(observation, "kernelbench").reason,
            "incomplete: trial-0: 0 elements of output, of shape [2, 3], were compared");
}

TEST(Judge, EachCaseGetsAState) {
  Observation observation = good_observation();
  case_of(observation, "trial-1").outputs[0].stats.tau = 0.5;
  case_of(observation, "hidden-D2").dropped = true;
  case_of(observation, "timed-2").ran = false;
  const Verdict verdict = judge(observation, "verified");
  ASSERT_EQ(verdict.cases.size(), observation.cases.size());
  const auto of = [&](const std::string& id) {
    for (const CaseVerdict& c : verdict.cases)
      if (c.id == id) return c;
    return CaseVerdict();
  };
  using State = CaseVerdict::State;
  EXPECT_EQ(of("trial-0").state, State::passed);
  EXPECT_TRUE(of("trial-0").needed);
  EXPECT_EQ(of("trial-1").state, State::failed);
  EXPECT_FALSE(of("trial-1").needed);
  EXPECT_EQ(of("hidden-D2").state, State::dropped);
  EXPECT_EQ(of("timed-2").state, State::not_run);
  EXPECT_TRUE(verdict.correct);
}

TEST(SmallestTolerance, IsTheLargestErrorThatTheProtocolSees) {
  Observation observation = good_observation();
  case_of(observation, "trial-1").outputs[0].stats.tau = 0.25;
  case_of(observation, "hidden-D2").outputs[0].stats.tau = 0.5;
  case_of(observation, "timed-0").outputs[0].stats.tau = 0.75;
  EXPECT_EQ(smallest_tolerance(observation, protocol("kernelbench")), 0.25);
  EXPECT_EQ(smallest_tolerance(observation, protocol("verified")), 0.5);
  case_of(observation, "hidden-D2").dropped = true;
  EXPECT_LT(smallest_tolerance(observation, protocol("verified")), 1e-6);
}

TEST(SmallestTolerance, IsInfiniteWhereNoneDoes) {
  const double infinity = std::numeric_limits<double>::infinity();
  Observation observation = good_observation();
  case_of(observation, "trial-0").outputs[0].stats.nonfinite = 1;
  EXPECT_EQ(smallest_tolerance(observation, protocol("verified")), infinity);
  observation = good_observation();
  observation.fault = Error{Fault::machine, "gpu_lost", "", ""};
  EXPECT_EQ(smallest_tolerance(observation, protocol("verified")), infinity);
  observation = good_observation();
  for (CaseResult& result : observation.cases) result.outputs = {test::make_output({1}, {2}, DType::int64)};
  EXPECT_EQ(smallest_tolerance(observation, protocol("attested")), infinity);
}

}  // namespace
}  // namespace kbv
