// SPDX-License-Identifier: MIT
// `kbv problem audit` on problems whose gaps are known.
#include "run_kbv.h"

namespace kbv::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class AuditVerb : public WithTorch {
 protected:
  /// The audit of one problem, as JSON.
  nlohmann::json audit(const ProblemText& problem, const std::vector<std::string>& more = {}) {
    return problem_verb("audit", problem, more);
  }
  std::vector<std::string> names(const nlohmann::json& found, const std::string& rules, const char* which) {
    return found["verdicts"][rules][which].get<std::vector<std::string>>();
  }
  std::string verdict(const nlohmann::json& found, const std::string& rules) {
    return found["verdicts"][rules]["verdict"];
  }
};

TEST_F(AuditVerb, PositiveInputsDoNotShowAReLU) {
  ProblemText problem;
  problem.inputs = "[torch.rand(64, 64)]";
  const auto found = audit(problem);
  EXPECT_EQ(last.code, 0) << last.out << last.err;
  EXPECT_EQ(verdict(found, "kernelbench"), "vacuous");
  EXPECT_THAT(names(found, "kernelbench", "passing"), AllOf(Contains("input 0 as it is"), Contains("no relu")));
  EXPECT_THAT(names(found, "verified", "passing"), Not(Contains("no relu"))) << "D4 shows it";
}

TEST_F(AuditVerb, AParameterThatIsInitialisedToDoNothing) {
  ProblemText problem;
  problem.constructor = "self.norm = torch.nn.LayerNorm(16)";
  problem.forward = "return self.norm(x)";
  const auto found = audit(problem);
  EXPECT_EQ(verdict(found, "verified"), "blind") << last.out;
  EXPECT_THAT(names(found, "verified", "passing"),
              AllOf(Contains("ones for parameter norm.weight"), Contains("zeros for parameter norm.bias")));
  // Other parameters show both.
  EXPECT_THAT(names(found, "attested", "passing"),
              AllOf(Not(Contains("ones for parameter norm.weight")), Not(Contains("zeros for parameter norm.bias"))));
  EXPECT_NE(verdict(found, "attested"), "blind") << last.out;
  for (const char* name : {"ones for parameter norm.weight", "zeros for parameter norm.bias"})
    EXPECT_THAT(found["verdicts"]["attested"]["rejected"][name]["draw"].get<std::string>(), HasSubstr("parameters-P1-"))
        << name;
  EXPECT_THAT(names(found, "attested", "no_effect"), IsEmpty());
  EXPECT_THAT(last.out, AllOf(HasSubstr("hidden-D1 rejects: zeros"), HasSubstr("parameters-P1-S1 rejects: ")));
}

TEST_F(AuditVerb, TheFirstLayersOfADeepModelTellStill) {
  ProblemText problem;
  problem.constructor =
      "self.layers = torch.nn.Sequential(*(m for _ in range(12) for m in (torch.nn.Linear(64, 64), torch.nn.ReLU())), torch.nn.Linear(64, 64))";
  problem.forward = "return self.layers(x)";
  problem.inputs = "[torch.rand(64, 64)]";
  const auto found = audit(problem);
  EXPECT_THAT(names(found, "verified", "passing"), AllOf(Contains("another input 0"), Contains("zeros for parameter layers.0.weight"))) << last.out;
  EXPECT_THAT(names(found, "attested", "passing"), AllOf(Not(Contains("another input 0")), Not(Contains("zeros for parameter layers.0.weight")))) << last.out;
  EXPECT_THAT(last.out, HasSubstr("parameters-PB-S1 rejects: "));
}

/// Its activation is out of reach of P-: a logsumexp over a thousand is above 6.
ProblemText behind_logsumexp() {
  ProblemText problem;
  problem.constructor = "self.linear = torch.nn.Linear(32, 1024)";
  problem.forward = "return torch.nn.functional.leaky_relu(torch.logsumexp(self.linear(x), 1, keepdim=True))";
  problem.inputs = "[torch.rand(16, 32)]";
  return problem;
}

TEST_F(AuditVerb, AnActivationThatUsuallyIdlesIsReached) {
  const auto found = audit(behind_logsumexp());
  EXPECT_THAT(names(found, "verified", "passing"), Contains("no leaky_relu")) << last.out;
  EXPECT_THAT(names(found, "attested", "passing"), Not(Contains("no leaky_relu"))) << last.out;
  EXPECT_EQ(found["verdicts"]["attested"]["rejected"]["no leaky_relu"]["draw"], "parameters-PR-S1") << last.out;
}

TEST_F(AuditVerb, ACandidateWithoutAnActivationThatUsuallyIdlesIsRejected) {
  const ProblemText problem = behind_logsumexp();
  ProblemText without = problem;
  without.forward = "return torch.logsumexp(self.linear(x), 1, keepdim=True)";
  Ended ended = eval(problem.text(), without.candidate(), {"--no-timing"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("parameters-PR-S1"));
  EXPECT_EQ(eval(problem.text(), problem.candidate(), {"--no-timing"}).code, 0) << last.out;
}

TEST_F(AuditVerb, AFamilyShowsWhatNoScaledDrawDoes) {
  ProblemText problem;
  problem.forward = "return torch.sigmoid(x.clamp(max=40)).cumsum(1)";
  problem.inputs = "[torch.rand(16, 64)]";
  const auto found = audit(problem);
  EXPECT_THAT(names(found, "verified", "passing"), Contains("no clamp"));
  const auto& rejected = found["verdicts"]["attested"]["rejected"];
  // At 40 sigmoid is 1 in every type: the clamp does something, and nothing that a comparison could see.
  EXPECT_THAT(names(found, "attested", "passing"), Contains("no clamp")) << rejected;
  problem.forward = "return x.clamp(max=40).cumsum(1)";
  const auto seen = audit(problem);
  EXPECT_THAT(seen["verdicts"]["attested"]["rejected"]["no clamp"]["draw"].get<std::string>(), HasSubstr("family-"))
      << last.out;
}

TEST_F(AuditVerb, WhatIsTheSameFunctionIsNoGap) {
  ProblemText problem;  // even, and its last row is not read
  problem.forward = "return x[:-1].square().sum(1)";
  problem.inputs = "[torch.randn(64, 64)]";
  const auto found = audit(problem);
  EXPECT_THAT(names(found, "attested", "harmless"),
              AllOf(Contains("input 0 negated"), Contains("zeros in the last index of dimension 0 of input 0")));
  EXPECT_THAT(names(found, "attested", "harmless"), Not(Contains("zeros in the last index of dimension 1 of input 0")));
  EXPECT_THAT(found["verdicts"]["attested"]["rejected"].dump(), HasSubstr("input 0 with two dimensions swapped"));
  EXPECT_THAT(last.out, HasSubstr("right as well: "));
}

TEST_F(AuditVerb, DropoutIsMissedInTraining) {
  ProblemText problem;
  problem.constructor = "self.drop = torch.nn.Dropout(0.3)";
  problem.forward = "return self.drop(x)";
  const auto found = audit(problem);
  EXPECT_EQ(last.code, 0) << last.out << last.err;
  EXPECT_EQ(found["verdicts"]["attested"]["rejected"]["no dropout"]["draw"], "noise-D1") << last.out;
}

TEST_F(AuditVerb, ADrawThatThereIsNoRoomForIsNoGap) {
  ProblemText problem;  // libraries say it in their own words
  for (const char* error : {"torch.OutOfMemoryError('CUDA out of memory.')", "RuntimeError('CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)')"}) {
    problem.forward = std::string("if x.dtype == torch.float64: raise ") + error + "\n        return torch.relu(x)";
    const auto found = audit(problem);
    EXPECT_EQ(last.code, 3) << last.out << last.err;
    EXPECT_EQ(found["error"]["fault"], "machine") << found["error"];
    EXPECT_THAT(found["error"]["message"].get<std::string>(), HasSubstr("hidden-D1: no room for the reference in float64"));
  }
}

TEST_F(AuditVerb, AParameterWithoutEffectIsToldAndMayBeLeftOut) {
  ProblemText problem;  // what the normalisation subtracts again
  problem.constructor = "self.linear = torch.nn.Linear(16, 16)";
  problem.forward = "y = self.linear(x)\n        return (y - y.mean(0)) / y.std(0)";
  problem.inputs = "[torch.randn(256, 16)]";
  const auto found = audit(problem);
  EXPECT_THAT(names(found, "attested", "no_effect"), Contains("another parameter linear.bias"));
  EXPECT_THAT(names(found, "attested", "passing"), Not(Contains("zeros for parameter linear.bias")));
  EXPECT_THAT(names(found, "attested", "no_effect"), Not(Contains("another parameter linear.weight")));
}

TEST_F(AuditVerb, OneArgumentAtATime) {
  ProblemText problem;
  problem.parameters = "x, y";
  problem.forward = "return torch.relu(x) + 0 * y";
  problem.inputs = "[torch.randn(32, 32), torch.randn(32, 32)]";
  const auto found = audit(problem);
  EXPECT_THAT(names(found, "attested", "no_effect"), testing::ElementsAre("another input 1"));
  EXPECT_THAT(names(found, "attested", "passing"), Not(Contains("another draw's output")));
}

TEST_F(AuditVerb, AnOutputThatDependsOnParametersOnlyIsVacuous) {
  ProblemText problem;
  problem.constructor = "self.bias = torch.nn.Parameter(torch.randn(16))";
  problem.forward = "return torch.nn.functional.gelu(-1000 - x.abs()) + self.bias";
  const auto found = audit(problem);
  for (const char* rules : {"kernelbench", "verified", "attested"})
    EXPECT_EQ(verdict(found, rules), "vacuous") << rules;
  EXPECT_THAT(
      names(found, "attested", "passing"),
      AllOf(Contains("another draw's output"), Contains("the first sample's output for all"), Not(Contains("zeros"))));
}

TEST_F(AuditVerb, ASoftmaxOverMuchIsZeroToATolerance) {
  ProblemText problem;
  problem.forward = "return torch.softmax(x.flatten(), 0)";
  problem.inputs = "[torch.rand(64, 1024)]";
  const auto found = audit(problem);
  EXPECT_THAT(names(found, "verified", "passing"), Contains("zeros"));
  EXPECT_THAT(names(found, "attested", "passing"), Not(Contains("zeros"))) << "its rms rule sees that";
}

TEST_F(AuditVerb, TupleOutputsIntegersAndLists) {
  ProblemText problem;
  problem.forward = "values, indices = x.max(dim=1)\n        return {'values': values, 'parts': [indices, x > 0]}";
  const auto found = audit(problem);
  EXPECT_EQ(last.code, 0) << last.out << last.err;
  EXPECT_TRUE(found["error"].is_null()) << found["error"];
  EXPECT_GT(found["stand_ins"].size(), 5u);
  EXPECT_NE(verdict(found, "attested"), "vacuous");
}

TEST_F(AuditVerb, AReferenceThatFailsIsAnErrorWithoutAVerdict) {
  ProblemText problem;
  problem.forward = "raise ValueError('broken reference')";
  const auto found = audit(problem);
  EXPECT_EQ(last.code, 1);
  EXPECT_THAT(last.out, HasSubstr("broken reference"));
  EXPECT_EQ(verdict(found, "attested"), "not judged");
}

TEST_F(AuditVerb, ConstantsAreSet) {
  ProblemText problem;
  problem.more = "rows = 8";
  problem.inputs = "[torch.randn(rows, 16)]";
  const auto found = audit(problem, {"--set", "rows=1"});
  for (const auto& stand_in : found["stand_ins"])
    EXPECT_NE(stand_in["kind"], "first_sample") << "there is one sample only";
  EXPECT_EQ(kbv({"problem", "audit", path("problem.py"), "--set", "rows"}).code, 2);
  EXPECT_EQ(kbv({"problem", "audit", path("problem.py"), "--protocol", "friendly"}).code, 2);
  EXPECT_THAT(leftovers(), IsEmpty());
}

}  // namespace
}  // namespace kbv::test
