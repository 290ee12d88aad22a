// SPDX-License-Identifier: MIT
// Campaigns side by side: what is one problem, what is one run, and what has no verdict.
#include "store/leaderboard_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "../score/sample_observation.h"
#include "base/secret.h"
#include "problem/known_problems.h"
#include "store/campaign.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LeaderboardFiles : public testing::Test {
 protected:
  LeaderboardFiles() {
    std::string name = (fs::temp_directory_path() / "kbv-score-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LeaderboardFiles() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::unique_ptr<Campaign> open(const std::string& name) {
    auto campaign = Campaign::open(path(name));
    EXPECT_TRUE(campaign) << campaign.error().message;
    return std::move(*campaign);
  }
  static std::int64_t add(Campaign& campaign, const std::string& run, int number, int sample,
                          const std::string& problem = "class Model: ...") {
    const auto id =
        campaign.add_problem({0, 1, number, std::to_string(number) + "_Thing", sha256_hex(problem), problem}).value();
    return campaign.add_candidate({0, run, id, sample, "a.py", sha256_hex("x"), "x"}).value();
  }
  Result<LeaderboardInput> read(const std::vector<std::string>& names, LeaderboardRequest request = {}) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(path(name));
    return read_leaderboard(paths, request);
  }
  static std::vector<std::string> runs(const LeaderboardInput& input) {
    std::vector<std::string> names;
    for (const LeaderboardSample& sample : input.samples) names.push_back(sample.run);
    return names;
  }

  fs::path folder_;
};

TEST_F(LeaderboardFiles, ObservedFailedAndNotRun) {
  {
    auto campaign = open("a");
    ASSERT_TRUE(campaign->add_observation(add(*campaign, "m", 1, 0), test::good_observation()));
    ASSERT_TRUE(campaign->add_failure(add(*campaign, "m", 1, 1), {Fault::machine, "gpu_lost", "gone", {}}));
    add(*campaign, "m", 2, 0);
  }
  LeaderboardRequest request;
  request.protocol = "verified";
  const auto input = read({"a"}, request);
  ASSERT_TRUE(input) << input.error().message;
  ASSERT_EQ(input->samples.size(), 3u);
  EXPECT_EQ(input->samples[0].score.code, "correct");
  EXPECT_EQ(input->samples[0].at_tolerance.size(), 3u);
  EXPECT_TRUE(input->samples[0].hidden);
  EXPECT_EQ(input->samples[1].score.code, "machine_error");
  EXPECT_EQ(input->samples[2].score.code, "not_run");
  EXPECT_EQ(input->baseline, "tf32_on");
  EXPECT_TRUE(input->memory);

  const GroupScore group = make_leaderboard(*input).runs.at(0).all;
  EXPECT_EQ(group.problems, 1);
  EXPECT_EQ(group.without_verdict, 1);

  request.baseline = "eager";
  const auto eager = read({"a"}, request);
  EXPECT_GT(*eager->samples[0].score.speedup, *input->samples[0].score.speedup);
  request.baseline = "numpy";
  EXPECT_EQ(read({"a"}, request).error().code, "no_baseline");
}

TEST_F(LeaderboardFiles, ShardsOfOneRunAreOneRun) {
  add(*open("a"), "m", 1, 0);
  add(*open("b"), "m", 1, 1);
  const auto input = read({"a", "b"});
  ASSERT_TRUE(input);
  EXPECT_THAT(runs(*input), ElementsAre("m", "m"));
  EXPECT_EQ(input->problems.size(), 1u);
}

TEST_F(LeaderboardFiles, TheSameSampleTwiceMakesTwoRuns) {
  add(*open("a"), "m", 1, 0);
  {
    auto campaign = open("b");
    add(*campaign, "m", 1, 0);
    add(*campaign, "other", 2, 0);
  }
  const auto input = read({"a", "b"});
  ASSERT_TRUE(input);
  EXPECT_THAT(runs(*input), ElementsAre("m @ " + path("a"), "m @ " + path("b"), "other"));
  EXPECT_THAT(input->problems_of.at("m @ " + path("a")), ElementsAre(0u));
  EXPECT_THAT(input->problems_of.at("other"), ElementsAre(0u, 1u));
}

TEST_F(LeaderboardFiles, OtherBytesUnderOneNumberAreAnErrorThatNamesBoth) {
  add(*open("a"), "m", 1, 0);
  add(*open("b"), "n", 1, 0, "another problem");
  const auto input = read({"a", "b"});
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().fault, Fault::usage);
  EXPECT_EQ(input.error().code, "other_problem");
  EXPECT_THAT(input.error().message,
              testing::AllOf(HasSubstr(path("a")), HasSubstr(path("b")), HasSubstr("level 1 no. 1")));
}

TEST_F(LeaderboardFiles, BadRequests) {
  add(*open("a"), "m", 1, 0);
  EXPECT_EQ(read({}).error().code, "no_campaign");
  EXPECT_EQ(read({"a", "a"}).error().code, "campaign_twice");
  EXPECT_EQ(read({"missing"}).error().fault, Fault::usage);
  LeaderboardRequest request;
  request.protocol = "mine";
  EXPECT_EQ(read({"a"}, request).error().fault, Fault::usage);
}

TEST_F(LeaderboardFiles, KnownProblemsAreExcludedByTheirBytes) {
  const auto& all = known_problems();
  const auto known =
      std::find_if(all.begin(), all.end(), [](const KnownProblem& one) { return !one.excluded_by.empty(); });
  ASSERT_NE(known, all.end());
  {
    auto campaign = open("a");
    const auto id = campaign->add_problem({0, known->level, known->number, known->name, known->sha256, {}}).value();
    ASSERT_TRUE(campaign->add_candidate({0, "m", id, 0, "a.py", sha256_hex("x"), "x"}));
  }
  for (const auto& [protocol, excluded] : {std::pair{"kernelbench", false}, {"verified", true}, {"attested", true}}) {
    LeaderboardRequest request;
    request.protocol = protocol;
    EXPECT_EQ(read({"a"}, request)->problems.at(0).excluded.empty(), !excluded) << protocol;
  }
}

// ---- Recorded by other harnesses

class RecordedFiles : public LeaderboardFiles {
 protected:
  RecordedFiles() { request_.protocol = "recorded"; }
  static void add_result(Campaign& campaign, int number, bool correct, std::optional<double> runtime_ms,
                         const std::string& tests = "standard", const std::string& harness = "kernelbench",
                         bool compiled = true) {
    ASSERT_TRUE(campaign.add_recorded({"m", 1, number, 0, harness, tests, compiled, correct, runtime_ms, 100, "{}"}));
  }
  static void add_baseline(Campaign& campaign, const std::string& hardware, const std::string& name,
                           const std::string& problem, std::optional<double> ms) {
    ASSERT_TRUE(campaign.add_recorded_baseline({hardware, name, 1, problem, ms, 150, "{}"}));
  }
  LeaderboardRequest request_;
};

TEST_F(RecordedFiles, SpeedupsOverTheOnlyBaseline) {
  {
    auto campaign = open("a");
    add_result(*campaign, 1, true, 2.0);
    add_result(*campaign, 2, true, {});
    add_result(*campaign, 3, true, 1.0);
    add_result(*campaign, 4, false, {});
    add_result(*campaign, 5, false, {}, "standard", "kernelbench", false);
    add_baseline(*campaign, "H100", "torch", "1_Mat.mul", 3.0);
    add_baseline(*campaign, "H100", "torch", "2_ReLU", 3.0);
    add_baseline(*campaign, "H100", "torch", "3_Null", {});
    add_baseline(*campaign, "H100", "torch", "no number", 3.0);
  }
  const auto input = read({"a"}, request_);
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(input->baseline, "torch@H100");
  ASSERT_EQ(input->samples.size(), 5u);
  EXPECT_DOUBLE_EQ(*input->samples[0].score.speedup, 1.5);
  EXPECT_DOUBLE_EQ(*input->samples[0].score.memory_ratio, 1.5);
  EXPECT_EQ(input->samples[1].score.why_no_speedup, "not_timed");
  EXPECT_EQ(input->samples[2].score.why_no_speedup, "no_baseline");
  EXPECT_EQ(input->samples[3].score.code, "incorrect");
  EXPECT_EQ(input->samples[4].score.code, "not_compiled");
  EXPECT_EQ(input->problems[0].name, "1_Mat.mul");
}

TEST_F(RecordedFiles, ABaselineIsChosenByName) {
  {
    auto campaign = open("a");
    add_result(*campaign, 1, true, 2.0);
    add_baseline(*campaign, "H100", "torch", "1_A", 3.0);
    add_baseline(*campaign, "L40S", "torch", "1_A", 8.0);
    add_baseline(*campaign, "L40S", "compile", "1_A", 1.0);
  }
  EXPECT_THAT(read({"a"}, request_).error().message, testing::AllOf(HasSubstr("torch@H100"), HasSubstr("torch@L40S")));
  request_.baseline = "torch";
  EXPECT_THAT(read({"a"}, request_).error().message,
              testing::AllOf(HasSubstr("torch@H100"), testing::Not(HasSubstr("compile"))));
  request_.baseline = "torch@L40S";
  EXPECT_DOUBLE_EQ(*read({"a"}, request_)->samples[0].score.speedup, 4);
  request_.baseline = "compile";
  EXPECT_DOUBLE_EQ(*read({"a"}, request_)->samples[0].score.speedup, 0.5);
  request_.baseline = "jax";
  EXPECT_EQ(read({"a"}, request_).error().code, "no_baseline");
}

TEST_F(RecordedFiles, WithoutABaselineCorrectnessOnly) {
  add_result(*open("a"), 1, true, 2.0);
  const auto input = read({"a"}, request_);
  ASSERT_TRUE(input);
  EXPECT_THAT(input->notes, ElementsAre(HasSubstr("correctness only")));
  const GroupScore group = make_leaderboard(*input).runs.at(0).all;
  EXPECT_DOUBLE_EQ(*group.figure("correct").value, 1);
  EXPECT_FALSE(group.figure("fast_1").value);
  request_.tolerance = 1e-3;
  EXPECT_EQ(read({"a"}, request_).error().code, "no_tolerance");
}

TEST_F(RecordedFiles, HiddenResultsDecideToo) {
  {
    auto campaign = open("a");
    add_result(*campaign, 1, true, 2.0, "standard", "verified");
    add_result(*campaign, 1, false, {}, "hidden", "verified");
    add_baseline(*campaign, "H200", "torch_tf32", "1_A", 1.0);
  }
  const auto input = read({"a"}, request_);
  ASSERT_TRUE(input);
  ASSERT_EQ(input->samples.size(), 1u);
  EXPECT_EQ(input->samples[0].score.code, "incorrect_hidden");
  EXPECT_TRUE(input->samples[0].standard->correct);
  EXPECT_EQ(make_leaderboard(*input).affected.at(0).hidden_only, 1);
}

TEST_F(RecordedFiles, TwoHarnessesAreTwoRuns) {
  {
    auto campaign = open("a");
    add_result(*campaign, 1, true, 2.0);
    add_result(*campaign, 1, true, 2.0, "standard", "verified");
  }
  EXPECT_THAT(runs(*read({"a"}, request_)), testing::UnorderedElementsAre("m [kernelbench]", "m [verified]"));
}

}  // namespace
}  // namespace kbv
