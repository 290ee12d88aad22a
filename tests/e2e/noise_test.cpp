// SPDX-License-Identifier: MIT
// A forward that draws random numbers in training: the real binary on candidates that draw their own.
#include "run_kbv.h"

namespace kbv::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// y = dropout(linear(x)) with p = 0.3 in training.
ProblemText dropout() {
  ProblemText problem;
  problem.inputs = "[torch.rand(32, 64)]";
  problem.constructor = "self.linear = nn.Linear(64, 64)\n        self.p = 0.3";
  problem.forward = "return nn.functional.dropout(self.linear(x), self.p, self.training)";
  return problem;
}

std::string forward_with(const std::string& mask, const std::string& scale = "/ (1 - self.p)") {
  return "h = self.linear(x)\n        return h * (" + mask + ") " + scale + " if self.training else h";
}

class Noise : public WithTorch {
 protected:
  /// The codes of all protocols for a candidate with this forward; `last` is how the evaluation ended.
  std::string codes(const std::string& forward, std::vector<std::string> more = {"--no-timing"}) {
    ProblemText candidate = dropout();
    candidate.forward = forward;
    last = eval(dropout().text(), candidate.candidate(), std::move(more));
    std::string found;
    if (json.is_object())
      for (const char* name : {"kernelbench", "verified", "attested"})
        for (const auto& verdict : json["verdicts"])
          if (verdict["protocol"] == name) found += (found.empty() ? "" : " ") + verdict["code"].get<std::string>();
    return found;
  }
  /// Why attested says what it says.
  std::string reason() const {
    if (json.is_object())
      for (const auto& verdict : json["verdicts"])
        if (verdict["protocol"] == "attested") return verdict["reason"];
    return "";
  }
};

TEST_F(Noise, OwnRandomNumbersAreRight) {
  const std::string own = forward_with("torch.rand_like(h) >= self.p");
  EXPECT_EQ(codes(own), "wrong_output wrong_output correct") << last.out << last.err;
  EXPECT_THAT(reason(), HasSubstr("128 calls by the distribution of random numbers"));
  ASSERT_EQ(json["noise"]["draws"].size(), 2u);
  EXPECT_EQ(json["noise"]["draws"][0]["calls"], 64);
  EXPECT_EQ(json["noise"]["note"], "");
}

TEST_F(Noise, TheReferencesOwnGeneratorIsRightEverywhere) {
  EXPECT_EQ(codes(dropout().forward), "correct correct correct") << last.out << last.err;
}

TEST_F(Noise, TimedCallsOfOwnRandomNumbersPass) {
  EXPECT_THAT(codes(forward_with("torch.rand_like(h) >= self.p"), {"--max-calls", "5"}), HasSubstr(" correct")) << last.out << last.err;
  EXPECT_THAT(last.out, HasSubstr("timed call"));
}

struct Wrong {
  const char* name;
  std::string forward;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

class WrongNoise : public Noise, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongNoise, IsRejectedUnderAttested) {
  EXPECT_THAT(codes(GetParam().forward), testing::EndsWith(" wrong_output")) << last.out << last.err;
  EXPECT_THAT(last.out, StartsWith("REJECTED: wrong_output")) << last.out;
}

std::vector<Wrong> wrong_ones() {
  const std::string fixed = "torch.rand(h.shape, generator=torch.Generator().manual_seed(3)) >= self.p";
  return {{"left_out", "return self.linear(x)"},
          {"wrong_p", forward_with("torch.rand_like(h) >= 0.4", "/ 0.6")},
          {"unscaled", forward_with("torch.rand_like(h) >= self.p", "")},
          {"scaled_twice", forward_with("torch.rand_like(h) >= self.p", "/ (1 - self.p)**2")},
          {"swapped", forward_with("torch.rand_like(h) < self.p", "/ self.p")},
          {"fixed_mask", forward_with(fixed)},
          {"sample_mask", forward_with("torch.rand(1, 64) >= self.p")},
          {"row_mask", forward_with("torch.rand(32, 1) >= self.p")},
          {"in_eval", "return nn.functional.dropout(self.linear(x), self.p, True)"}};
}

INSTANTIATE_TEST_SUITE_P(All, WrongNoise, testing::ValuesIn(wrong_ones()), [](const auto& info) { return std::string(info.param.name); });

TEST_F(Noise, LeftOutWhileTimedIsSeen) {
  // Before it is timed it makes 138 calls in training: 9 trials and hidden inputs, 128 for the distribution, one for memory.
  ProblemText problem = dropout();
  problem.inputs = "[torch.rand(512, 64)]";  // of few elements a single call says too little
  ProblemText candidate = problem;
  candidate.constructor += "\n        self.calls = 0";
  candidate.forward = "self.calls += self.training\n        h = self.linear(x)\n        return nn.functional.dropout(h, self.p, self.training and self.calls < 140)";
  const Ended ended = eval(problem.text(), candidate.candidate(), {"--max-calls", "5", "--no-parameters"});
  EXPECT_THAT(reason(), HasSubstr("random numbers seem to be missing")) << ended.out << ended.err;
}

TEST_F(Noise, NoRandomNumbersNoNoise) {
  const ProblemText relu;
  ASSERT_EQ(eval(relu.text(), relu.candidate(), {"--no-timing"}).code, 0);
  EXPECT_TRUE(json["noise"].is_null());
}

}  // namespace
}  // namespace kbv::test
