// SPDX-License-Identifier: MIT
// What one evaluation leaves behind for the next on the same device.
#include <gtest/gtest.h>

#include "cli/session.h"
#include "judge/reference.h"

namespace kbv {
namespace {

const std::string k_problem = R"(
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.rand(64, 64)]
def get_init_inputs():
    return []
)";

class LeftBehind : public testing::Test {
 protected:
  void SetUp() override {
    SessionOptions options;
    options.device = "cpu";
    options.isolation = "none";
    auto session = Session::open(options);
    if (!session) GTEST_SKIP() << "skipped: " << session.error().message;
    session_ = std::move(*session);
  }

  Observation evaluate_forward(const std::string& forward) {
    EvaluateOptions options;
    options.problem_path = "problem.py";
    options.problem_source = k_problem;
    options.candidate_path = "candidate.py";
    options.candidate_source = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        " + forward + "\n";
    options.sampling.budget_s = 0.1;
    options.sampling.max_calls = 3;
    options.families = false;
    session_->apply(options);
    EvaluateContext context = session_->context();
    context.references = &references_;
    const auto seen = evaluate(context, options);
    EXPECT_TRUE(seen) << seen.error().message;
    return seen ? *seen : Observation{};
  }

  std::unique_ptr<Session> session_;
  References references_;
};

TEST_F(LeftBehind, NothingOfTheProblemWhetherTheCandidateRunsOrFails) {
  for (const char* forward : {"return torch.relu(x)", "raise RuntimeError('no')", "return torch.relu(x)[:1]", "import os; os._exit(1)"}) {
    const Observation seen = evaluate_forward(forward);
    EXPECT_EQ(seen.fault.has_value(), forward != std::string("return torch.relu(x)")) << forward;
    ASSERT_TRUE(references_.oracle) << forward;
    EXPECT_TRUE(references_.serving) << forward;
    EXPECT_TRUE(references_.oracle->draws_in().empty()) << forward;  // the judge's pristine buffers, and the worker's maps of them
    EXPECT_FALSE(seen.machine.torch.empty()) << forward;
  }
}

TEST_F(LeftBehind, TheProcessThatServedServesAgain) {
  evaluate_forward("return torch.relu(x)");
  ASSERT_TRUE(references_.oracle);
  const Reference* first = references_.oracle.get();
  EXPECT_FALSE(evaluate_forward("return torch.relu(x)").fault);
  EXPECT_EQ(references_.oracle.get(), first);
}

TEST_F(LeftBehind, OneThatIsLostMeanwhileIsReplaced) {
  evaluate_forward("return torch.relu(x)");
  references_.oracle.reset();  // and `serving` still says that there is one
  EXPECT_FALSE(evaluate_forward("return torch.relu(x)").fault);
  EXPECT_TRUE(references_.oracle);
}

}  // namespace
}  // namespace kbv
