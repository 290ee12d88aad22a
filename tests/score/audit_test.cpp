// SPDX-License-Identifier: MIT
#include "score/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_observation.h"

namespace kbv {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<double> k_expected{1, -2, 3, -4, 5, -6};

/// A stand-in that gives `got` under every distribution.
StandIn make_stand_in(const std::string& kind, const std::string& what, const std::vector<double>& got) {
  StandIn stand_in{kind, what, {}};
  for (const char* distribution : {"D1", "D2", "D3", "D4"})
    stand_in.cases.push_back({distribution, true, "", {test::make_output(k_expected, got)}});
  return stand_in;
}

ProblemAudit make_audit(std::vector<StandIn> stand_ins) {
  ProblemAudit audit;
  audit.distributions = {"D1", "D2", "D3", "D4"};
  audit.stand_ins = std::move(stand_ins);
  return audit;
}

std::vector<double> off_by(double difference) {
  std::vector<double> values = k_expected;
  for (double& value : values) value += difference;
  return values;
}

Sight sight(const ProblemAudit& audit, const std::string& rules = "verified") {
  return judge_audit(audit, test::protocol(rules)).sight;
}

TEST(Audit, SoundWhereNothingPasses) {
  const ProblemAudit audit = make_audit(
      {make_stand_in("zeros", "", std::vector<double>(6, 0.0)), make_stand_in("half", "float16", off_by(0.1))});
  EXPECT_EQ(sight(audit), Sight::sound);
  EXPECT_THAT(judge_audit(audit, test::protocol("verified")).passing, IsEmpty());
}

TEST(Audit, TheWorstThatPassesDecides) {
  ProblemAudit audit = make_audit({make_stand_in("half", "float16", off_by(1e-4))});
  EXPECT_EQ(sight(audit), Sight::coarse);
  audit.stand_ins.push_back(make_stand_in("skip_last", "0", off_by(1e-4)));
  EXPECT_EQ(sight(audit), Sight::blind);
  audit.stand_ins.push_back(make_stand_in("first_sample", "", off_by(1e-4)));
  EXPECT_EQ(sight(audit), Sight::vacuous);
  const AuditVerdict verdict = judge_audit(audit, test::protocol("verified"));
  std::vector<std::string> kinds;
  for (const StandIn* passing : verdict.passing) kinds.push_back(passing->kind);
  EXPECT_THAT(kinds, ElementsAre("first_sample", "skip_last", "half")) << "worst first";
}

TEST(Audit, TheToleranceIsTheProtocols) {
  const ProblemAudit audit = make_audit({make_stand_in("skip_last", "0", off_by(5e-3))});
  EXPECT_EQ(sight(audit, "kernelbench"), Sight::blind);
  EXPECT_EQ(sight(audit, "verified"), Sight::sound);
}

TEST(Audit, ItMustPassUnderEveryDistributionThatTheProtocolHas) {
  ProblemAudit audit = make_audit({make_stand_in("zeros", "", off_by(1e-4))});
  audit.stand_ins[0].cases[3].outputs = {test::make_output(k_expected, off_by(1))};  // D4
  EXPECT_EQ(sight(audit, "verified"), Sight::sound);
  EXPECT_EQ(sight(audit, "kernelbench"), Sight::vacuous) << "it looks at D1 only";
  audit.stand_ins[0].cases[3] = {"D4", false, "RuntimeError", {}};
  EXPECT_EQ(sight(audit, "verified"), Sight::sound) << "what can't be made can't pass";
}

TEST(Audit, ToLeaveOutWhatHasNoEffectIsRight) {
  // A bias before a normalisation: whatever it is, the output is the same up to rounding.
  const ProblemAudit dead = make_audit(
      {make_stand_in("varied_parameter", "bias", off_by(1e-7)), make_stand_in("zero_parameter", "bias", off_by(1e-7))});
  EXPECT_EQ(sight(dead), Sight::sound);
  const AuditVerdict verdict = judge_audit(dead, test::protocol("verified"));
  ASSERT_EQ(verdict.no_effect.size(), 1u);
  EXPECT_EQ(stand_in_name(*verdict.no_effect[0]), "another parameter bias");
  // One that has an effect, but is zero as it is initialised.
  const ProblemAudit hidden = make_audit(
      {make_stand_in("varied_parameter", "bias", off_by(1)), make_stand_in("zero_parameter", "bias", k_expected)});
  EXPECT_EQ(sight(hidden), Sight::blind);
  // The name of an input is no parameter's.
  const ProblemAudit both =
      make_audit({make_stand_in("other_input", "0", off_by(1e-7)), make_stand_in("zero_parameter", "0", k_expected)});
  EXPECT_EQ(sight(both), Sight::blind);
}

TEST(Audit, AnInsensitiveInputIsNoDeadOne) {
  const ProblemAudit audit = make_audit({make_stand_in("other_input", "0", off_by(5e-4))});
  EXPECT_EQ(sight(audit), Sight::blind) << "it matters, and the tolerance does not see it";
  EXPECT_THAT(judge_audit(audit, test::protocol("verified")).no_effect, IsEmpty());
}

TEST(Audit, NotJudgedWithoutADistributionOrAReference) {
  ProblemAudit audit = make_audit({make_stand_in("zeros", "", k_expected)});
  audit.distributions.clear();
  EXPECT_EQ(sight(audit), Sight::not_judged);
  audit = make_audit({});
  audit.error = Error{Fault::problem, "runtime_error", "", ""};
  EXPECT_EQ(sight(audit), Sight::not_judged);
}

}  // namespace
}  // namespace kbv
