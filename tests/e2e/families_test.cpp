// SPDX-License-Identifier: MIT
// `kbv problem check --families`: what the families of inputs are like, seen through references that look at them.
#include "run_kbv.h"

namespace kbv::test {
namespace {

using testing::HasSubstr;

class Families : public WithTorch {
 protected:
  /// Status of each family, by name.
  nlohmann::json families(const ProblemText& problem) {
    return problem_verb("check", problem, {"--families"})["families"];
  }
};

TEST_F(Families, AWellConditionedReferenceIsJudgeableInAll) {
  ProblemText problem;
  problem.parameters = "x, y";
  problem.forward = "return x @ y";
  problem.inputs = "[torch.rand(64, 48), torch.rand(48, 32)]";
  const auto found = families(problem);
  EXPECT_EQ(last.code, 0) << last.out << last.err;
  EXPECT_EQ(found.size(), 15u);
  for (const auto& [name, entry] : found.items()) {
    EXPECT_EQ(entry["status"], "ok") << name << entry;
    EXPECT_LT(entry["e_rms"].get<double>(), 4e-6) << name;
  }
  EXPECT_GT(found["S1"]["e_rms"].get<double>(), 0.0);
}

TEST_F(Families, ADomainKeepsTheReferenceFinite) {
  ProblemText problem;
  problem.forward = "return torch.log(x)";
  problem.inputs = "[torch.rand(16, 32) + 0.5]";
  EXPECT_EQ(families(problem)["S1"]["status"], "not finite");
  problem.more = "DOMAINS = ['positive']";
  const auto kept = families(problem);
  for (const auto& [name, entry] : kept.items()) EXPECT_EQ(entry["status"], "ok") << name << entry;
}

TEST_F(Families, ACancellationThatFloat32CanNotDoIsInexact) {
  ProblemText problem;  // a variance by the difference of two means
  problem.forward = "return (x * x).mean(1) - x.mean(1) ** 2";
  problem.inputs = "[torch.randn(64, 256)]";
  const auto found = families(problem);
  EXPECT_EQ(found["S1"]["status"], "ok");
  EXPECT_EQ(found["S2-far"]["status"], "inexact") << found["S2-far"];
}

TEST_F(Families, GuessedDomainsAndShapesAreKept) {
  ProblemText problem;
  problem.parameters = "lower, shares, sign, mask, index, symmetric";
  problem.forward =
      "assert not lower.triu(1).any()\n"
      "        assert ((shares.sum(-1) - 1).abs() < 1e-5).all() and (shares >= 0).all()\n"
      "        assert (sign.abs() == 1).all() and mask.dtype == torch.bool\n"
      "        assert index.dtype == torch.int64 and (index >= 0).all() and (index < 10).all()\n"
      "        assert (symmetric == symmetric.mT).all()\n"
      "        return lower.sum(1) + shares.sum(1) + sign + mask + index + symmetric.sum(1)";
  problem.more = "def symmetric(n):\n    x = torch.rand(n, n)\n    return x + x.mT\n";
  problem.inputs =
      "[torch.rand(8, 8).tril(), torch.softmax(torch.randn(8, 5), 1), torch.randint(0, 2, (8,)).float() * 2 - 1, "
      "torch.rand(8) < 0.5, "
      "torch.randint(0, 10, (8,)), symmetric(8)]";
  const auto kept = families(problem);
  for (const auto& [name, entry] : kept.items()) EXPECT_EQ(entry["status"], "ok") << name << entry;
}

TEST_F(Families, WhatCanNotBeJudgedSaysWhy) {
  ProblemText narrow;  // a constant of its own in float32
  narrow.forward = "return x @ torch.eye(16, dtype=torch.float32)";
  const auto found = families(narrow);
  EXPECT_EQ(found["S1"]["status"], "no float64") << found;
  EXPECT_THAT(found["S1"]["reason"].get<std::string>(), HasSubstr("RuntimeError"));
  ProblemText named;
  named.more = "DOMAINS = ['real', 'real']";
  EXPECT_EQ(families(named)["S1"]["status"], "error");
  EXPECT_THAT(families(named)["S1"]["reason"].get<std::string>(), HasSubstr("should be 1 of real, positive"));
}

}  // namespace
}  // namespace kbv::test
