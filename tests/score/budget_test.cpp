// SPDX-License-Identifier: MIT
#include "score/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_observation.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;
using test::case_of;
using test::good_observation;
using test::protocol;
using test::with_exact;

const Budget& budget() {
  static const Protocol attested = protocol("attested");
  return *attested.budget;
}

/// Of an output that is large enough to have an rms.
OutputCheck output(double error, bool products = false) {
  OutputCheck made = with_exact(test::make_output({1, 2}, {1, 2}), error, products);
  made.exact->stats.count = 1000;
  return made;
}

std::string failure(const OutputCheck& check, Precision precision = Precision::tf32) {
  return budget_failure(check, budget(), precision).value_or("");
}

TEST(Budget, WhatRightImplementationsReachTimesAFactorButAtLeastTheFloor) {
  const Allowance plain = allowance(*output(0).exact, DType::float32, budget(), Precision::tf32);
  EXPECT_DOUBLE_EQ(plain.right_max, 2e-7);
  EXPECT_DOUBLE_EQ(plain.e_max, 0x1p-15);  // 16 x 2e-7 is less
  EXPECT_DOUBLE_EQ(plain.e_rms, 0x1p-17);
  EXPECT_DOUBLE_EQ(plain.e_var.value(), 0.125);
  const Allowance strict = allowance(*output(0).exact, DType::float32, budget(), Precision::strict);
  EXPECT_DOUBLE_EQ(strict.e_max, 16 * 2e-7);
  const Allowance products = allowance(*output(0, true).exact, DType::float32, budget(), Precision::tf32);
  EXPECT_DOUBLE_EQ(products.e_max, 4e-3);
  EXPECT_DOUBLE_EQ(products.e_rms, 2e-3);
  const Allowance without = allowance(*output(0, true).exact, DType::float32, budget(), Precision::strict);
  EXPECT_DOUBLE_EQ(without.e_max, 16 * 2e-7);
  EXPECT_GT(allowance(*output(0).exact, DType::bfloat16, budget(), Precision::tf32).e_max, 0.01);
}

TEST(Budget, EachErrorIsJudged) {
  EXPECT_EQ(failure(output(1e-6)), "");
  EXPECT_THAT(failure(output(1e-6), Precision::strict), "");
  EXPECT_THAT(failure(output(1e-5), Precision::strict), HasSubstr("allowed 3.2e-06 (right implementations reach 2e-07)"));
  EXPECT_THAT(failure(output(4e-5)), HasSubstr("output[0] is 1.00004, expected 1: error 4e-05 of its size"));
  OutputCheck zero = output(1e30);
  zero.exact->rho_max = 0x1p-100;
  for (MemberErrors& member : zero.exact->members) member.e_max = 0;
  EXPECT_THAT(failure(zero), HasSubstr("right implementations give 0 everywhere"));
  OutputCheck rms = output(0);
  rms.exact->stats.e_rms = 1e-5;
  EXPECT_THAT(failure(rms), HasSubstr("of a slice's size (rms)"));
  OutputCheck variation = output(0);
  variation.exact->stats.sum_sq_diff = 0.04;
  EXPECT_THAT(failure(variation), HasSubstr("hardly depends on its inputs"));
  for (MemberErrors& member : variation.exact->members) member.e_var = 0.5;  // nobody can tell samples apart
  EXPECT_EQ(failure(variation), "");
  OutputCheck nonfinite = output(0);
  nonfinite.exact->stats.nonfinite = 1;
  EXPECT_THAT(failure(nonfinite), HasSubstr("NaN or infinite"));
  OutputCheck integer = output(0);
  integer.dtype = DType::int64;
  EXPECT_EQ(failure(integer), "");
  integer.exact->stats.unequal = 1;
  EXPECT_THAT(failure(integer), HasSubstr("1 of 1000 integer elements differ"));
}

// A sum of a billion terms that is off by 3e-6, where the sums of two draws differ by 1e-6.
TEST(Budget, WhereSamplesHardlyDifferAnErrorThatIsAllowedOtherwisePasses) {
  const auto off_by = [](double error, double variation, std::uint64_t count) {
    OutputCheck check = output(error);
    check.exact->stats.count = count;
    check.exact->stats.e_rms = error;
    check.exact->stats.e_max = error / 2;
    check.exact->stats.sum_sq_diff = error * error * static_cast<double>(count);
    check.exact->variation = variation * std::sqrt(static_cast<double>(count));
    return failure(check);
  };
  EXPECT_EQ(off_by(3e-6, 1e-6, 1), "");
  EXPECT_EQ(off_by(5e-5, 1e-6, 1), "");  // of one element e_rms is 2 e_max
  EXPECT_NE(off_by(7e-5, 1e-6, 1), "");
  EXPECT_EQ(off_by(3e-6, 1e-6, 4096), "");
  EXPECT_NE(off_by(5e-6, 1e-6, 4096), "");
  EXPECT_NE(off_by(7e-6, 1.2e-5, 4096), "");  // one sample for all, where samples differ by 1e-5
  EXPECT_NE(off_by(1e-3, 1e-3, 1), "");
}

TEST(Budget, NanErrorsNeverPass) {
  for (double ExactStats::* field : {&ExactStats::e_max, &ExactStats::e_rms, &ExactStats::sum_sq_diff}) {
    OutputCheck check = output(0);
    check.exact->stats.*field = std::nan("");
    EXPECT_NE(failure(check), "");
  }
}

TEST(Budget, TensorCoresCountAsRightWhereThereAreProducts) {
  EXPECT_EQ(failure(output(1e-3, true)), "");
  EXPECT_NE(failure(output(1e-3, false)), "");
  EXPECT_NE(failure(output(1e-3, true), Precision::strict), "");
  EXPECT_NE(failure(output(5e-3, true)), "");
}

// A timed call is compared with the reference's output only: the difference may be what both may be off.
TEST(Budget, DifferencesFromTheReference) {
  const OutputCheck native = output(0, true);
  const auto differs = [&](double error) {
    return difference_failure(test::make_output({1, 2, 3}, {1 + error, 2 + error, 3 + error}), native, budget(), Precision::tf32).has_value();
  };
  EXPECT_FALSE(differs(1e-3));
  EXPECT_TRUE(differs(2e-2));
  EXPECT_FALSE(difference_failure(test::make_output({1}, {2}), test::make_output({1}, {1}), budget(), Precision::tf32));
}

TEST(Budget, FamiliesDecideUnderAttestedOnly) {
  Observation observation = good_observation();
  case_of(observation, "family-S10").outputs[0] = with_exact(case_of(observation, "family-S10").outputs[0], 0.5);
  EXPECT_TRUE(judge_observation(observation, protocol("verified")).correct);
  const Verdict verdict = judge_observation(observation, protocol("attested"));
  EXPECT_EQ(verdict.code, "wrong_output");
  EXPECT_EQ(verdict.worst_case, "family-S10");
  EXPECT_TRUE(case_is_wrong(observation, case_of(observation, "family-S10"), protocol("attested")));
  EXPECT_FALSE(case_is_wrong(observation, case_of(observation, "family-S1"), protocol("attested")));
}

TEST(Budget, ContractsDecideUnderAttestedOnly) {
  Observation reused = good_observation();
  reused.contracts.reused_output = true;
  EXPECT_EQ(judge_observation(reused, protocol("attested")).code, "reused_output");
  EXPECT_TRUE(judge_observation(reused, protocol("verified")).correct);
  Observation written = good_observation();
  case_of(written, "family-S1").mutated_inputs = true;
  EXPECT_EQ(judge_observation(written, protocol("attested")).code, "input_written");
  EXPECT_TRUE(judge_observation(written, protocol("kernelbench")).correct);
  written.contracts.reference_writes_inputs = true;
  EXPECT_TRUE(judge_observation(written, protocol("attested")).correct);
}

TEST(Budget, WhatNobodyTriedIsNoPass) {
  for (const char* kind : {"family", "contract"}) {
    Observation observation = good_observation();
    std::erase_if(observation.cases, [&](const CaseResult& result) { return result.kind == kind; });
    EXPECT_EQ(judge_observation(observation, protocol("attested")).code, "not_tried") << kind;
    observation.contracts.note = "calls are not repeated: the reference's output depends on the calls before";
    EXPECT_TRUE(judge_observation(observation, protocol("attested")).correct) << kind;
  }
  Observation observation = good_observation();
  observation.parameters.note.clear();
  EXPECT_EQ(judge_observation(observation, protocol("attested")).code, "not_tried");
}

TEST(Budget, WhatTheDeviceHasNoRoomForIsNoPass) {
  Observation observation = good_observation();
  observation.contracts.no_room = "no room for the outputs in float64";
  const Verdict whole = judge_observation(observation, protocol("attested"));
  EXPECT_EQ(whole.code, "machine_error");
  EXPECT_THAT(whole.reason, HasSubstr("no room for the outputs in float64 on this device"));
  EXPECT_TRUE(judge_observation(observation, protocol("verified")).correct);

  observation = good_observation();
  CaseResult& family = case_of(observation, "family-S3");
  family.no_room = family.dropped = true;
  EXPECT_EQ(judge_observation(observation, protocol("attested")).code, "machine_error");
  EXPECT_TRUE(judge_observation(observation, protocol("kernelbench")).correct);
  case_of(observation, "family-S10").outputs[0] = with_exact(case_of(observation, "family-S10").outputs[0], 0.5);
  EXPECT_EQ(judge_observation(observation, protocol("attested")).code, "wrong_output");  // what is known decides
}

TEST(Budget, AnIllConditionedReferenceRejectsNoRightOne) {
  // Of a reference that is off by 0.3 of its size, outputs off from float64 by `exact`, and from the reference by more than the tolerance, or not.
  const auto code = [](double exact, bool is_near) {
    Observation observation = good_observation();
    for (CaseResult& result : observation.cases) {
      if (result.kind != "hidden" && result.kind != "trial") continue;
      OutputCheck& output = result.outputs[0];
      if (!is_near) output.stats.tau = 0.2;
      if (result.kind == "trial") continue;
      output = with_exact(output, exact);
      for (MemberErrors& member : output.exact->members) member.e_max = member.e_rms = 0.3;
      for (MemberErrors& member : output.exact->members) member.e_var.reset();
      result.no_oracle = "the reference in its own type is too far from float64";
    }
    return judge_observation(observation, protocol("attested"));
  };
  EXPECT_TRUE(code(0.3, true).correct) << code(0.3, true).reason;
  EXPECT_TRUE(code(100, true).correct) << "as the reference does it";
  const Verdict doubt = code(0.3, false);
  EXPECT_EQ(doubt.code, "problem_error") << doubt.reason;
  EXPECT_THAT(doubt.reason, HasSubstr("ill-conditioned"));
  EXPECT_EQ(code(100, false).code, "wrong_output") << "what no right implementation gives";
}

TEST(Budget, GradesACorrectOne) {
  Observation observation = good_observation();
  const auto add = [&](const std::string& family, double error) {
    observation.cases.push_back(
        test::make_case("family-" + family, "family", family, {with_exact(test::make_output({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, DType::float32, {2, 3}), error)}));
  };
  EXPECT_FALSE(judge_observation(observation, protocol("attested")).robust);  // not tried
  add("X1", 0);
  Verdict verdict = judge_observation(observation, protocol("attested"));
  EXPECT_TRUE(verdict.robust.value());
  EXPECT_TRUE(verdict.strict.value());
  add("S2-far", 0.5);
  case_of(observation, "family-S3").outputs[0] = with_exact(case_of(observation, "family-S3").outputs[0], 6e-6);
  verdict = judge_observation(observation, protocol("attested"));
  EXPECT_TRUE(verdict.correct) << verdict.reason;
  EXPECT_FALSE(verdict.robust.value());
  EXPECT_THAT(verdict.robust_reason, HasSubstr("family-S2-far"));
  EXPECT_FALSE(verdict.strict.value());
  EXPECT_THAT(verdict.strict_reason, HasSubstr("family-S3"));
  EXPECT_FALSE(judge_observation(observation, protocol("verified")).robust);
}

}  // namespace
}  // namespace kbv
