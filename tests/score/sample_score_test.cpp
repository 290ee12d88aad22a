// SPDX-License-Identifier: MIT
// What each protocol makes of one observation, and what the decomposition makes of several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/known_problems.h"
#include "sample_observation.h"
#include "score/leaderboard.h"

namespace kbv {
namespace {

using test::good_observation;
using test::protocol;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SampleScore, EachProtocolHasItsOwnBaselineAndStatistic) {
  Observation observation = good_observation();
  observation.candidate_time.attested_us[10] = 620;  // one slow call moves a mean and no median
  const SampleScore attested = score_sample(observation, protocol("attested"));
  EXPECT_EQ(attested.code, "correct");
  EXPECT_NEAR(*attested.speedup, 25.0 / 20, 1e-9);
  EXPECT_TRUE(attested.surely_faster);
  EXPECT_FALSE(attested.estimate);

  const SampleScore kernelbench = score_sample(observation, protocol("kernelbench"));
  const double mean_us = 20 + (620 - 321) / 11.0;
  EXPECT_NEAR(*kernelbench.speedup, 30 / mean_us, 1e-6) << "the mean of all 11 calls";
  EXPECT_FALSE(kernelbench.memory_ratio) << "it has no memory score";

  const SampleScore verified = score_sample(observation, protocol("verified"));
  EXPECT_NEAR(*verified.speedup, 24.9 / 19.9, 0.02) << "the first 10 calls are without the slow one";
  ASSERT_TRUE(verified.memory_ratio);
  EXPECT_NEAR(*verified.memory_ratio, (12.0 + 4) / (8 + 4), 1e-9) << "peaks, with the inputs";
  EXPECT_EQ(verified.speedup_by_baseline.size(), 2u);
  EXPECT_GT(verified.speedup_by_baseline.at("eager"), verified.speedup_by_baseline.at("tf32_on"));
}

TEST(SampleScore, UnresolvedTimesCountForHarnessesThatKnowNoResolution) {
  Observation observation = good_observation();
  observation.timing.floor_us = 100;  // longer than all times
  const SampleScore attested = score_sample(observation, protocol("attested"));
  EXPECT_TRUE(attested.correct);
  EXPECT_FALSE(attested.speedup);
  EXPECT_EQ(attested.why_no_speedup, "not_resolvable");
  EXPECT_FALSE(attested.surely_faster);
  EXPECT_THAT(attested.speedup_by_baseline, IsEmpty());
  const SampleScore verified = score_sample(observation, protocol("verified"));
  EXPECT_TRUE(verified.speedup);
  EXPECT_TRUE(verified.estimate);
}

TEST(SampleScore, SaysWhyThereIsNoSpeedup) {
  Observation untimed = good_observation();
  untimed.candidate_time = {};
  EXPECT_EQ(score_sample(untimed, protocol("verified")).why_no_speedup, "not_timed");
  Observation bare = good_observation();
  bare.baselines.erase(bare.baselines.begin() + 1);
  const SampleScore score = score_sample(bare, protocol("verified"));
  EXPECT_EQ(score.why_no_speedup, "no_baseline");
  EXPECT_TRUE(score.correct);
  EXPECT_EQ(score.speedup_by_baseline.count("eager"), 1u);
}

TEST(SampleScore, FaultsAreNoVerdicts) {
  Observation observation = good_observation();
  observation.fault = Error{Fault::machine, "gpu_lost", "the device is gone", {}};
  const SampleScore score = score_sample(observation, protocol("attested"));
  EXPECT_EQ(score.code, "machine_error");
  EXPECT_FALSE(is_verdict(score));
  EXPECT_THAT(score.tried_distributions, IsEmpty());
  EXPECT_FALSE(is_verdict(SampleScore()));
}

TEST(SampleScore, FailuresByDistribution) {
  Observation wrong = good_observation();
  wrong.cases = test::relu_cases([](double x) { return x; });
  test::case_of(wrong, "hidden-D3").dropped = true;
  SampleScore score = score_sample(wrong, protocol("verified"));
  EXPECT_THAT(score.tried_distributions, ElementsAre("D1", "D2", "D4"));
  EXPECT_THAT(score.failed_distributions, ElementsAre("D4"));

  Observation crash = good_observation();
  test::fail_from(crash, "hidden-D2", {Fault::candidate, "crash", "died", {}});
  score = score_sample(crash, protocol("verified"));
  EXPECT_EQ(score.code, "crash");
  EXPECT_THAT(score.tried_distributions, ElementsAre("D1", "D2")) << "what was not reached says nothing";
  EXPECT_THAT(score.failed_distributions, ElementsAre("D2"));
}

TEST(SampleScore, TheFullOneHasEveryReading) {
  Observation wrong = good_observation();
  wrong.cases = test::relu_cases([](double x) { return x > 0 ? x * 1.002 : x; });
  const LeaderboardSample sample = score_fully(wrong, protocol("kernelbench"), {}, {1e-2, 1e-5});
  EXPECT_TRUE(sample.score.correct);
  ASSERT_TRUE(sample.standard && sample.hidden);
  EXPECT_TRUE(sample.standard->correct) << "the paper's tolerance, D1 only: 0.002 * 0.875 / 1.875 is below 1e-3";
  EXPECT_FALSE(sample.hidden->correct) << "D4";
  ASSERT_EQ(sample.at_tolerance.size(), 2u);
  EXPECT_TRUE(sample.at_tolerance[0].correct);
  EXPECT_EQ(sample.at_tolerance[0].speedup, sample.score.speedup);
  EXPECT_FALSE(sample.at_tolerance[1].correct);
}

TEST(SampleScore, TheFullOneOfAVerdictIsTheSame) {
  for (const char* name : {"kernelbench", "verified", "attested"}) {
    const Observation observation = good_observation();
    const LeaderboardSample own = score_fully(observation, protocol(name), std::nullopt, {1e-2, 1e-9});
    const LeaderboardSample given = score_verdict_fully(observation, protocol(name),
                                                        judge_observation(observation, protocol(name)), {1e-2, 1e-9});
    const auto same = [](const SampleScore& a, const SampleScore& b) {
      EXPECT_EQ(a.code, b.code);
      EXPECT_EQ(a.speedup, b.speedup);
      EXPECT_EQ(a.speedup_by_baseline, b.speedup_by_baseline);
    };
    same(own.score, given.score);
    same(own.standard.value(), given.standard.value());
    same(own.hidden.value(), given.hidden.value());
    ASSERT_EQ(given.at_tolerance.size(), 2u);
    same(own.at_tolerance[1], given.at_tolerance[1]);
  }
}

TEST(SampleScore, TolerancesAreThePapersWhereTheProtocolHasABudget) {
  Observation observation = good_observation();
  test::case_of(observation, "family-S1").outputs[0].stats.tau = 1;  // large values; near enough to float64
  const LeaderboardSample attested = score_fully(observation, protocol("attested"), {}, {1e-3});
  EXPECT_TRUE(attested.score.correct);
  EXPECT_TRUE(attested.at_tolerance.at(0).correct);
  EXPECT_FALSE(score_sample(observation, protocol("attested"), 1e-3).correct);
}

TEST(Exclusion, IsByHashAndByProtocol) {
  int by_paper = 0, vacuous = 0;
  for (const KnownProblem& known : known_problems()) {
    EXPECT_EQ(exclusion("kernelbench", known.sha256), "");
    by_paper += !exclusion("verified", known.sha256).empty();
    vacuous += !exclusion("attested", known.sha256).empty();
    if (!known.excluded_by.empty()) {
      EXPECT_THAT(known.excluded_by, ElementsAre("verified"));
      EXPECT_NE(known.vacuous, "") << known.name;
      EXPECT_EQ(known.level, 2);
      EXPECT_THAT(known.number, testing::AnyOf(23, 80, 83));
    }
  }
  EXPECT_EQ(by_paper, 6) << "three problems, in two data sets";
  EXPECT_EQ(vacuous, 12) << "six problems, in two data sets";
  EXPECT_EQ(exclusion("verified", ""), "");
  EXPECT_EQ(exclusion("verified", std::string(64, 'a')), "") << "another file under the same number is another problem";
}

/// A sample with speedups over both baselines, right under D1, and under all four if `hidden`.
LeaderboardSample reading(std::size_t problem, double fp32, double tf32, bool hidden) {
  LeaderboardSample sample;
  sample.run = "run";
  sample.problem = problem;
  SampleScore good;
  good.code = "correct";
  good.correct = true;
  good.speedup_by_baseline = {{"eager", fp32}, {"tf32_on", tf32}};
  sample.standard = sample.hidden = sample.score = good;
  if (!hidden) {
    sample.hidden = SampleScore();
    sample.hidden->code = "wrong_output";
  }
  return sample;
}

TEST(Decomposition, FourCellsAndAffectedProblemsByHand) {
  LeaderboardInput input;
  for (int i = 0; i < 5; ++i) input.problems.push_back({i < 4 ? 1 : 2, i + 1, "P", {}, {}});
  input.samples = {reading(0, 4, 2, true), reading(1, 4, 4, false), reading(2, 1, 0.25, false),
                   reading(3, 1, 0.51, true), reading(4, 2, 2, true)};
  const Leaderboard board = make_leaderboard(input);
  const GroupScore& level = board.runs.at(0).levels.at(0);
  ASSERT_TRUE(level.decomposition);
  const auto& cells = level.decomposition->cells;
  EXPECT_NEAR(*cells[0][0].speedup.value, 2, 1e-12) << "4 * 4 * 1 * 1";
  EXPECT_NEAR(*cells[1][0].speedup.value, std::pow(2 * 4 * 0.25 * 0.51, 0.25), 1e-12);
  EXPECT_NEAR(*cells[0][1].speedup.value, 2, 1e-12) << "4 and 1";
  EXPECT_NEAR(*cells[1][1].speedup.value, std::sqrt(2 * 0.51), 1e-12);
  EXPECT_DOUBLE_EQ(*cells[0][0].correct.value, 1);
  EXPECT_DOUBLE_EQ(*cells[1][1].correct.value, 0.5);
  EXPECT_FALSE(level.decomposition->host);

  ASSERT_EQ(board.affected.size(), 3u);
  EXPECT_EQ(board.affected[0].level, 0);
  EXPECT_EQ(board.affected[0].tf32_only, 1) << "exactly half is a drop of at least half";
  EXPECT_EQ(board.affected[0].hidden_only, 1);
  EXPECT_EQ(board.affected[0].both, 1);
  EXPECT_EQ(board.affected[0].neither, 2);
  EXPECT_EQ(board.affected[2].neither, 1);
}

TEST(Decomposition, OnAHostTheCellsAreEqualAndItSaysSo) {
  LeaderboardInput input;
  input.problems = {{1, 1, "P", {}, {}}};
  LeaderboardSample sample = reading(0, 3, 3, true);
  for (SampleScore* score : {&*sample.standard, &*sample.hidden}) {
    score->host = true;
    score->speedup_by_baseline.erase("tf32_on");
  }
  input.samples = {sample};
  const Leaderboard board = make_leaderboard(input);
  const Decomposition& cells = *board.runs.at(0).all.decomposition;
  EXPECT_TRUE(cells.host);
  EXPECT_EQ(cells.cells[0][0].speedup.value, cells.cells[1][0].speedup.value);
  EXPECT_EQ(board.affected[0].neither, 1);
}

TEST(Decomposition, ASampleJudgedByOneReadingOnlyIsInNoCell) {
  LeaderboardInput input;
  input.problems = {{1, 1, "P", {}, {}}, {1, 2, "P", {}, {}}};
  input.samples = {reading(0, 2, 2, true), reading(1, 8, 8, true)};
  input.samples[1].hidden->code = "machine_error";
  input.samples[1].hidden->correct = false;
  const GroupScore group = make_leaderboard(input).runs.at(0).all;
  EXPECT_NEAR(*group.decomposition->cells[0][0].speedup.value, 2, 1e-12);
  EXPECT_DOUBLE_EQ(*group.decomposition->cells[0][1].correct.value, 1);
}

}  // namespace
}  // namespace kbv
