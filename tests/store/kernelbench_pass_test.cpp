// SPDX-License-Identifier: MIT
// Against KernelBench's calculate_pass_at_k (scripts/eval_from_generations.py).
#include "store/kernelbench_pass.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kbv {
namespace {

using nlohmann::json;

void add(std::vector<RecordedResult>& results, int number, const std::string& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    RecordedResult result;
    result.number = number;
    result.sample = static_cast<int>(i);
    result.correct = samples[i] == '+' || samples[i] == '!';
    result.compiled = samples[i] == '+' || samples[i] == '-';
    results.push_back(result);
  }
}

TEST(KernelBenchPassAtK, FieldsAreKernelBenchs) {
  std::vector<RecordedResult> results;
  add(results, 3, "+--+-");
  add(results, 12, "!x---");  // "correct" but not compiled is not correct
  add(results, 7, "+-");      // fewer than 3
  const auto text = write_pass_at_k(results, {1, 3, 50});
  ASSERT_TRUE(text);
  const json made = json::parse(*text);
  EXPECT_EQ(made["problems"]["3"]["total_samples"], 5);
  EXPECT_EQ(made["problems"]["3"]["correct_samples"], 2);
  EXPECT_NEAR(made["problems"]["3"]["pass@1"].get<double>(), 0.4, 1e-12);
  EXPECT_NEAR(made["problems"]["3"]["pass@3"].get<double>(), 0.9, 1e-12);  // 1 - C(3,3) / C(5,3)
  EXPECT_EQ(made["problems"]["12"]["correct_samples"], 0);
  EXPECT_EQ(made["problems"]["12"]["pass@3"], 0);
  EXPECT_EQ(made["problems"]["7"]["pass@2"], 1);
  EXPECT_FALSE(made["problems"]["7"].contains("pass@3"));
  EXPECT_NEAR(made["averages"]["avg_pass@1"].get<double>(), (0.4 + 0 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(made["averages"]["avg_pass@3"].get<double>(), 0.9 / 3, 1e-12);
  EXPECT_FALSE(made["averages"].contains("avg_pass@50"));  // nobody has 50 samples: 0 would be no measurement
  EXPECT_EQ(made["metadata"], json::parse(R"({"total_problems": 3, "problems_with_samples": 3,
    "total_evaluated_samples": 12, "total_correct_samples": 3, "pass@1_count": 3, "pass@3_count": 2})"));
}

TEST(KernelBenchPassAtK, OneSampleOfEachHasNone) {
  std::vector<RecordedResult> results;
  EXPECT_FALSE(write_pass_at_k(results, {1}));
  add(results, 1, "+");
  add(results, 2, "-");
  EXPECT_FALSE(write_pass_at_k(results, {1}));
}

}  // namespace
}  // namespace kbv
