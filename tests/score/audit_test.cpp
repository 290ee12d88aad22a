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

std::vector<double> off_by(double difference) {
  std::vector<double> values = k_expected;
  for (double& value : values) value += difference;
  return values;
}

/// A draw that float64 judges: the stand-in is `error` away from it there, and the same change in float64 does nothing
/// or something.
StandInCase judged(const std::string& kind, const std::string& id, const std::string& name, double error,
                   std::optional<bool> same = {}) {
  const double tolerable = kind == "hidden" ? error : 0;
  StandInCase entry;
  entry.result =
      test::make_case(id, kind, name, {test::with_exact(test::make_output(k_expected, off_by(tolerable)), error)});
  entry.same_exact = same;
  return entry;
}

/// A stand-in that gives `got` under D1 to D4, compared by the tolerance only.
StandIn make_stand_in(const std::string& kind, const std::string& what, const std::vector<double>& got) {
  StandIn stand_in{kind, what, {}};
  for (const std::string name : {"D1", "D2", "D3", "D4"})
    stand_in.cases.push_back(
        {test::make_case("hidden-" + name, "hidden", name, {test::make_output(k_expected, got)}), "", {}});
  return stand_in;
}

/// One that is `error` from float64 under D1 to D4, then on `later` draws.
StandIn judged_stand_in(const std::string& kind, const std::string& what, double error, std::optional<bool> same,
                        std::vector<StandInCase> later) {
  StandIn stand_in{kind, what, {}};
  for (const std::string name : {"D1", "D2", "D3", "D4"})
    stand_in.cases.push_back(judged("hidden", "hidden-" + name, name, error, same));
  for (StandInCase& entry : later) stand_in.cases.push_back(std::move(entry));
  return stand_in;
}

ProblemAudit make_audit(std::vector<StandIn> stand_ins) {
  ProblemAudit audit;
  for (const std::string name : {"D1", "D2", "D3", "D4"})
    audit.draws.push_back(test::make_case("hidden-" + name, "hidden", name, {}));
  audit.draws.push_back(test::make_case("family-S1", "family", "S1", {}));
  audit.draws.push_back(test::make_case("parameters-P1-S1", "parameters", "S1", {}));
  audit.stand_ins = std::move(stand_ins);
  return audit;
}

AuditVerdict judge(const ProblemAudit& audit, const std::string& rules) {
  return judge_audit(audit, test::protocol(rules));
}
Sight sight(const ProblemAudit& audit, const std::string& rules = "verified") { return judge(audit, rules).sight; }

std::vector<std::string> kinds(const std::vector<const StandIn*>& stand_ins) {
  std::vector<std::string> found;
  for (const StandIn* stand_in : stand_ins) found.push_back(stand_in->kind);
  return found;
}

TEST(Audit, SoundWhereNothingPasses) {
  const ProblemAudit audit = make_audit(
      {make_stand_in("zeros", "", std::vector<double>(6, 0.0)), make_stand_in("half", "float16", off_by(0.1))});
  EXPECT_EQ(sight(audit), Sight::sound);
  EXPECT_THAT(judge(audit, "verified").passing, IsEmpty());
}

TEST(Audit, TheWorstThatPassesDecides) {
  ProblemAudit audit = make_audit({make_stand_in("half", "float16", off_by(1e-4))});
  EXPECT_EQ(sight(audit), Sight::coarse);
  audit.stand_ins.push_back(make_stand_in("one_pass", "", off_by(1e-4)));
  EXPECT_EQ(sight(audit), Sight::coarse);
  audit.stand_ins.push_back(make_stand_in("skip_last", "0", off_by(1e-4)));
  EXPECT_EQ(sight(audit), Sight::blind);
  audit.stand_ins.push_back(make_stand_in("first_sample", "", off_by(1e-4)));
  EXPECT_EQ(sight(audit), Sight::vacuous);
  EXPECT_THAT(kinds(judge(audit, "verified").passing), ElementsAre("first_sample", "skip_last", "half", "one_pass"))
      << "worst first";
}

TEST(Audit, TheToleranceIsTheProtocols) {
  const ProblemAudit audit = make_audit({make_stand_in("skip_last", "0", off_by(5e-3))});
  EXPECT_EQ(sight(audit, "kernelbench"), Sight::blind);
  EXPECT_EQ(sight(audit, "verified"), Sight::sound);
}

TEST(Audit, ItMustPassUnderEveryDistributionThatTheProtocolHas) {
  ProblemAudit audit = make_audit({make_stand_in("zeros", "", off_by(1e-4))});
  audit.stand_ins[0].cases[3].result.outputs = {test::make_output(k_expected, off_by(1))};  // D4
  EXPECT_EQ(sight(audit, "verified"), Sight::sound);
  EXPECT_EQ(sight(audit, "kernelbench"), Sight::vacuous) << "it looks at D1 only";
  audit.stand_ins[0].cases[3].result.outputs.clear();
  audit.stand_ins[0].cases[3].result.ran = false;
  EXPECT_EQ(sight(audit, "verified"), Sight::sound) << "what can't be made can't pass";
}

TEST(Audit, TheBudgetDecidesWhereFloat64IsKnown) {
  // Within every tolerance, and far from what right implementations reach.
  const ProblemAudit audit = make_audit({judged_stand_in("skip_last", "0", 5e-4, false, {})});
  EXPECT_EQ(sight(audit, "verified"), Sight::blind);
  const AuditVerdict verdict = judge(audit, "attested");
  EXPECT_EQ(verdict.sight, Sight::sound);
  ASSERT_EQ(verdict.rejected.size(), 1u);
  EXPECT_EQ(verdict.rejected[0].draw, "hidden-D1");
}

TEST(Audit, TheFirstDrawThatRejectsIsTold) {
  const ProblemAudit audit =
      make_audit({judged_stand_in("one_parameter", "weight", 1e-7, false,
                                  {judged("family", "family-S1", "S1", 1e-7, false),
                                   judged("parameters", "parameters-P1-S1", "S1", 0.5)}),
                  judged_stand_in("without", "relu", 1e-7, {}, {judged("family", "family-S1", "S1", 0.5)})});
  EXPECT_EQ(sight(audit, "verified"), Sight::blind) << "it looks at neither";
  const AuditVerdict verdict = judge(audit, "attested");
  EXPECT_EQ(verdict.sight, Sight::sound);
  ASSERT_EQ(verdict.rejected.size(), 2u);
  EXPECT_EQ(verdict.rejected[0].draw, "family-S1") << "in the order of the draws";
  EXPECT_EQ(verdict.rejected[0].stand_in->kind, "without");
  EXPECT_EQ(verdict.rejected[1].draw, "parameters-P1-S1");
  EXPECT_THAT(verdict.rejected[1].reason, testing::HasSubstr("allowed"));
}

TEST(Audit, ADrawOutsideTheDomainRejectsNothingUnderTheBudget) {
  ProblemAudit audit = make_audit({judged_stand_in("skip_last", "0", 1e-7, false, {})});
  StandInCase& d4 = audit.stand_ins[0].cases[3];
  d4 = judged("hidden", "hidden-D4", "D4", 0.5);
  d4.result.outside_domain = true;
  EXPECT_EQ(sight(audit, "attested"), Sight::blind);
  d4.result.outside_domain = false;
  EXPECT_EQ(sight(audit, "attested"), Sight::sound);
}

TEST(Audit, ToLeaveOutWhatHasNoEffectIsRight) {
  // A bias before a normalisation: whatever it is, the output is the same up to rounding.
  const ProblemAudit dead = make_audit(
      {make_stand_in("varied_parameter", "bias", off_by(1e-7)), make_stand_in("zero_parameter", "bias", off_by(1e-7))});
  EXPECT_EQ(sight(dead), Sight::sound);
  const AuditVerdict verdict = judge(dead, "verified");
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
  // Part of an input that has no effect.
  const ProblemAudit part =
      make_audit({make_stand_in("other_input", "0", off_by(1e-7)), make_stand_in("short_input", "0 1", k_expected)});
  EXPECT_EQ(sight(part), Sight::sound);
}

TEST(Audit, UnderTheBudgetFloat64SaysWhatHasAnEffect) {
  const auto varied = [](bool same) {
    return make_audit({judged_stand_in("varied_parameter", "bias", 1e-7, same,
                                       {judged("parameters", "parameters-P1-S1", "S1", 1e-7, same)})});
  };
  const ProblemAudit dead = varied(true);
  EXPECT_THAT(kinds(judge(dead, "attested").no_effect), ElementsAre("varied_parameter"));
  EXPECT_EQ(sight(varied(true), "attested"), Sight::sound);
  EXPECT_THAT(judge(varied(false), "attested").no_effect, IsEmpty()) << "small, and not nothing";
  EXPECT_EQ(sight(varied(false), "attested"), Sight::blind) << "an effect that nothing rejects";
}

TEST(Audit, AChangeThatDoesNothingInFloat64IsHarmless) {
  const StandIn even =
      judged_stand_in("negated_input", "0", 1e-7, true, {judged("family", "family-S1", "S1", 1e-7, true)});
  const ProblemAudit audit = make_audit({even});  // the verdict points into it
  const AuditVerdict verdict = judge(audit, "attested");
  EXPECT_EQ(verdict.sight, Sight::sound);
  EXPECT_THAT(kinds(verdict.harmless), ElementsAre("negated_input"));
  EXPECT_THAT(verdict.passing, IsEmpty());
  StandIn unknown = even;
  unknown.cases.back().same_exact.reset();
  EXPECT_EQ(sight(make_audit({unknown}), "attested"), Sight::blind) << "nobody asked float64 there";
  // An activation that no input reaches is a gap: that it does nothing is a fact on the inputs.
  EXPECT_EQ(sight(make_audit({judged_stand_in("without", "clamp", 1e-7, true, {})}), "attested"), Sight::blind);
}

TEST(Audit, AParameterIsHarmlessOnlyIfItWasVaried) {
  StandIn zero = judged_stand_in("zero_parameter", "bias", 1e-7, true, {});
  EXPECT_EQ(sight(make_audit({zero}), "attested"), Sight::blind) << "it is zero as it is constructed";
  zero.cases.push_back(judged("parameters", "parameters-P1-S1", "S1", 1e-7, true));
  EXPECT_EQ(sight(make_audit({zero}), "attested"), Sight::sound);
}

TEST(Audit, AnInsensitiveInputIsNoDeadOne) {
  const ProblemAudit audit = make_audit({make_stand_in("other_input", "0", off_by(5e-4))});
  EXPECT_EQ(sight(audit), Sight::blind) << "it matters, and the tolerance does not see it";
  EXPECT_THAT(judge(audit, "verified").no_effect, IsEmpty());
}

TEST(Audit, OpenWhereSomebodyWhoLooksHasAccepted) {
  const std::vector<Protocol> protocols{test::protocol("verified"), test::protocol("attested")};
  const AuditOptions options = audit_options(protocols);
  const CaseResult d2 = test::make_case("hidden-D2", "hidden", "D2", {}),
                   s1 = test::make_case("family-S1", "family", "S1", {});
  const CaseResult robust = test::make_case("family-X2", "family", "X2", {});
  EXPECT_TRUE(options.is_looked_at(s1));
  EXPECT_FALSE(options.is_looked_at(robust)) << "no verdict needs it";
  StandIn stand_in{"skip_last", "0", {judged("hidden", "hidden-D1", "D1", 5e-4)}};
  EXPECT_TRUE(options.is_open(stand_in, d2)) << "verified accepts it so far";
  EXPECT_FALSE(options.is_open(stand_in, s1)) << "the one that looks at families does not";
  stand_in.cases[0] = judged("hidden", "hidden-D1", "D1", 1e-7);
  EXPECT_TRUE(options.is_open(stand_in, s1));
}

TEST(Audit, NotJudgedWithoutADrawOrAReference) {
  ProblemAudit audit = make_audit({make_stand_in("zeros", "", k_expected)});
  for (CaseResult& draw : audit.draws) draw.dropped = true;
  EXPECT_EQ(sight(audit), Sight::not_judged);
  audit = make_audit({});
  audit.error = Error{Fault::problem, "runtime_error", "", ""};
  EXPECT_EQ(sight(audit), Sight::not_judged);
}

}  // namespace
}  // namespace kbv
