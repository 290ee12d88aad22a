// SPDX-License-Identifier: MIT
// The paper's metrics, by values worked out by hand, and what holds for any samples.
#include "score/leaderboard.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sample_observation.h"
#include "score/metrics.h"

namespace kbv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

LeaderboardSample sample_of(std::size_t problem, int sample, std::string code, std::optional<double> speedup = {},
                            std::optional<double> memory = {}) {
  LeaderboardSample made;
  made.run = "run";
  made.problem = problem;
  made.sample = sample;
  made.score.correct = code == "correct";
  made.score.code = std::move(code);
  made.score.speedup = speedup;
  made.score.memory_ratio = memory;
  if (made.score.correct && !speedup) made.score.why_no_speedup = "not_timed";
  return made;
}

LeaderboardInput input_of(std::size_t problems, std::vector<LeaderboardSample> samples) {
  LeaderboardInput input;
  input.protocol = "verified";
  input.memory = true;
  for (std::size_t i = 0; i < problems; ++i)
    input.problems.push_back({1, static_cast<int>(i) + 1, fmt::format("{}_P", i + 1), {}, {}});
  input.samples = std::move(samples);
  return input;
}

GroupScore score(const LeaderboardInput& input, const std::vector<int>& attempts = {1, 5}) {
  const Leaderboard board = make_leaderboard(input, attempts);
  return board.runs.empty() ? GroupScore() : board.runs.front().all;
}

double value(const GroupScore& group, const std::string& name) {
  return group.figure(name).value.value_or(std::nan(""));
}

// Four problems: best 4x (of 2x and 4x), 0.5x, wrong, no sample. Memory 2x for the 4x one and 1x for the other.
LeaderboardInput four_problems() {
  return input_of(
      4, {sample_of(0, 0, "correct", 2.0, 8.0), sample_of(0, 1, "correct", 4.0, 2.0), sample_of(0, 2, "wrong_output"),
          sample_of(1, 0, "correct", 0.5, 1.0), sample_of(2, 0, "wrong_output"), sample_of(2, 1, "crash")});
}

TEST(Leaderboard, TheFiveMetricsByHand) {
  const GroupScore group = score(four_problems());
  EXPECT_EQ(group.problems, 4);
  EXPECT_EQ(group.solved, 2);
  EXPECT_EQ(group.without_sample, 1);
  EXPECT_DOUBLE_EQ(value(group, "correct"), 0.5);
  EXPECT_NEAR(value(group, "speedup"), std::sqrt(4.0 * 0.5), 1e-12);
  EXPECT_DOUBLE_EQ(value(group, "fast_1"), 0.25);
  EXPECT_NEAR(value(group, "memory_efficiency"), std::sqrt(2.0), 1e-12)
      << "of the fastest correct sample, not of the leanest";
  EXPECT_DOUBLE_EQ(value(group, "memory_efficient"), 0.25) << "strictly lower: 1x is not";
  EXPECT_NEAR(value(group, "fallback_speedup"), std::pow(4.0, 0.25), 1e-12);
  EXPECT_EQ(group.figure("speedup").problems, 2);
  EXPECT_EQ(group.figure("fast_1").problems, 4);
  EXPECT_THAT(group.codes, UnorderedElementsAre(Pair("correct", 3), Pair("wrong_output", 2), Pair("crash", 1)));
}

TEST(Leaderboard, FastIsStrictlyFasterThanEachP) {
  const GroupScore group = score(
      input_of(6, {sample_of(0, 0, "correct", 0.5), sample_of(1, 0, "correct", 0.8), sample_of(2, 0, "correct", 1.0),
                   sample_of(3, 0, "correct", 1.5), sample_of(4, 0, "correct", 2.0), sample_of(5, 0, "correct", 2.5)}));
  for (const auto& [name, faster] :
       {std::pair{"fast_0", 6}, {"fast_0.5", 5}, {"fast_0.8", 4}, {"fast_1", 3}, {"fast_1.5", 2}, {"fast_2", 1}})
    EXPECT_DOUBLE_EQ(value(group, name), faster / 6.0) << name;
}

// C(n - c, k) / C(n, k), by hand: 5 samples of which 2 are correct: 1 - 3/5; 1 - 3/10 of pairs; and all five hold one.
TEST(Leaderboard, PassAtKIsTheUnbiasedEstimate) {
  EXPECT_DOUBLE_EQ(pass_at(1, 5, 2), 0.4);
  EXPECT_NEAR(pass_at(2, 5, 2), 0.7, 1e-15);
  EXPECT_DOUBLE_EQ(pass_at(4, 5, 2), 1);
  EXPECT_DOUBLE_EQ(pass_at(3, 5, 0), 0);
  EXPECT_NEAR(pass_at(1, 5000, 1), 1.0 / 5000, 1e-12);

  const GroupScore group = score(four_problems(), {1, 2, 3, 4});
  EXPECT_NEAR(value(group, "pass_at_1"), (2.0 / 3 + 1 + 0 + 0) / 4, 1e-12);
  EXPECT_NEAR(value(group, "pass_at_2"), (1 + 0 + 0) / 3.0, 1e-12) << "the problem with one sample says nothing of two";
  EXPECT_EQ(group.figure("pass_at_2").problems, 3);
  EXPECT_DOUBLE_EQ(value(group, "pass_at_3"), 0.5) << "one with three samples, and the one without any";
  EXPECT_FALSE(group.figure("pass_at_4").value) << "no problem has four samples";
}

TEST(Leaderboard, NoneCorrect) {
  const GroupScore group = score(input_of(2, {sample_of(0, 0, "crash"), sample_of(1, 0, "timeout")}));
  EXPECT_DOUBLE_EQ(value(group, "correct"), 0);
  EXPECT_DOUBLE_EQ(value(group, "fast_1"), 0);
  EXPECT_DOUBLE_EQ(value(group, "fallback_speedup"), 1);
  EXPECT_FALSE(group.figure("speedup").value) << "the mean of nothing is no number";
  EXPECT_FALSE(group.figure("memory_efficiency").value);
}

TEST(Leaderboard, OneProblemHasNoInterval) {
  const GroupScore group = score(input_of(1, {sample_of(0, 0, "correct", 3.0, 1.5)}));
  EXPECT_NEAR(value(group, "speedup"), 3, 1e-12);
  for (const NamedFigure& figure : group.figures) EXPECT_FALSE(figure.figure.interval) << figure.name;
}

TEST(Leaderboard, CorrectWithoutASpeedupIsSolvedAndNotFast) {
  auto unresolved = sample_of(0, 0, "correct");
  unresolved.score.why_no_speedup = "not_resolvable";
  const GroupScore group = score(input_of(2, {unresolved, sample_of(1, 0, "correct", 4.0)}));
  EXPECT_DOUBLE_EQ(value(group, "correct"), 1);
  EXPECT_NEAR(value(group, "speedup"), 4, 1e-12) << "it is in no mean";
  EXPECT_DOUBLE_EQ(value(group, "fast_0"), 0.5);
  EXPECT_NEAR(value(group, "fallback_speedup"), 2, 1e-12) << "counts as 1x there";
  EXPECT_THAT(group.without_speedup, ElementsAre(Pair("not_resolvable", 1)));
}

TEST(Leaderboard, ATimedSampleIsBetterThanAnUntimedOne) {
  const Leaderboard board =
      make_leaderboard(input_of(1, {sample_of(0, 0, "correct"), sample_of(0, 1, "correct", 0.1)}));
  EXPECT_EQ(board.runs[0].problems[0].best, 1);
  EXPECT_NEAR(value(board.runs[0].all, "speedup"), 0.1, 1e-12);
}

TEST(Leaderboard, NothingTimedIsNotNothingFast) {
  const GroupScore group = score(input_of(2, {sample_of(0, 0, "correct"), sample_of(1, 0, "wrong_output")}));
  EXPECT_DOUBLE_EQ(value(group, "correct"), 0.5);
  for (const char* name :
       {"speedup", "fast_0", "fast_1", "fallback_speedup", "memory_efficiency", "memory_efficient", "surely_faster"})
    EXPECT_FALSE(group.figure(name).value) << name;
}

TEST(Leaderboard, ProblemsWithoutAVerdictLeaveTheDenominator) {
  for (const char* code : {"machine_error", "problem_error", "not_tried", "not_run"}) {
    const GroupScore group =
        score(input_of(3, {sample_of(0, 0, "correct", 2.0), sample_of(1, 0, code), sample_of(1, 1, code)}));
    EXPECT_EQ(group.problems, 2) << "one of them without any sample";
    EXPECT_EQ(group.without_verdict, 1);
    EXPECT_DOUBLE_EQ(value(group, "correct"), 0.5);
    EXPECT_EQ(group.codes.at(code), 2) << "and they are counted";

    const GroupScore partly = score(input_of(1, {sample_of(0, 0, code), sample_of(0, 1, "crash")}));
    EXPECT_EQ(partly.problems, 1) << "one verdict is enough";
    EXPECT_DOUBLE_EQ(value(partly, "pass_at_1"), 0) << "of one sample";
  }
}

TEST(Leaderboard, ExcludedProblemsCountForNobody) {
  LeaderboardInput input = four_problems();
  input.problems[0].excluded = "always zero";
  const GroupScore group = score(input);
  EXPECT_EQ(group.problems, 3);
  EXPECT_EQ(group.excluded, 1);
  EXPECT_NEAR(value(group, "speedup"), 0.5, 1e-12);
  EXPECT_EQ(group.samples, 3);
}

TEST(Leaderboard, LevelsApartAndTogether) {
  LeaderboardInput input = four_problems();
  input.problems[1].level = 2;
  input.problems[3].level = 3;  // no sample there: not a level of this run
  const RunScore run = make_leaderboard(input).runs.at(0);
  ASSERT_EQ(run.levels.size(), 2u);
  EXPECT_EQ(run.levels[0].level, 1);
  EXPECT_NEAR(value(run.levels[0], "speedup"), 4, 1e-12);
  EXPECT_DOUBLE_EQ(value(run.levels[0], "correct"), 0.5);
  EXPECT_NEAR(value(run.levels[1], "speedup"), 0.5, 1e-12);
  EXPECT_EQ(run.all.problems, 3);
  EXPECT_EQ(run.problems.size(), 3u);
}

TEST(Leaderboard, RunsSideBySideByFastThenSpeedup) {
  LeaderboardInput input = four_problems();
  auto other = sample_of(0, 0, "correct", 1.1);
  other.run = "another";
  input.samples.push_back(other);
  for (std::size_t i = 1; i < 4; ++i) {
    other = sample_of(i, 0, "crash");
    other.run = "another";
    input.samples.push_back(other);
  }
  Leaderboard board = make_leaderboard(input);
  ASSERT_EQ(board.runs.size(), 2u);
  EXPECT_EQ(board.runs[0].run, "run") << "as many fast, and a better mean";
  EXPECT_THAT(board.notes, IsEmpty());

  input.problems_of["another"] = {0, 1};
  board = make_leaderboard(input);
  EXPECT_EQ(board.runs[0].run, "another") << "one of two is fast";
  EXPECT_THAT(board.notes, ElementsAre(HasSubstr("do not stand for the same problems")));
}

TEST(Leaderboard, IntervalsHoldTheirValuesAndRepeat) {
  std::vector<LeaderboardSample> samples;
  for (std::size_t i = 0; i < 40; ++i)
    samples.push_back(sample_of(i, 0, i % 4 == 0 ? "crash" : "correct",
                                i % 4 == 0 ? std::optional<double>() : 0.5 + 0.05 * static_cast<double>(i), 1.0));
  const GroupScore first = score(input_of(40, samples)), second = score(input_of(40, samples));
  for (const char* name : {"correct", "speedup", "fast_1", "fallback_speedup"}) {
    const Figure& figure = first.figure(name);
    ASSERT_TRUE(figure.value && figure.interval) << name;
    EXPECT_LT(figure.interval->low, *figure.value) << name;
    EXPECT_GT(figure.interval->high, *figure.value) << name;
    EXPECT_EQ(figure.interval->low, second.figure(name).interval->low) << name;
    EXPECT_EQ(figure.interval->high, second.figure(name).interval->high) << name;
  }
  // 30 of 40: the standard error of a share of 0.75 is 0.068, so that 95 % are within 0.13.
  EXPECT_NEAR(first.figure("correct").interval->low, 0.62, 0.04);
  EXPECT_NEAR(first.figure("correct").interval->high, 0.88, 0.04);
}

// ---- What holds for any samples

std::vector<LeaderboardSample> random_samples(std::mt19937_64& random, std::size_t problems) {
  std::vector<LeaderboardSample> samples;
  const char* codes[] = {"correct", "correct", "correct", "wrong_output", "crash", "machine_error"};
  for (std::size_t problem = 0; problem < problems; ++problem)
    for (int i = 0, count = static_cast<int>(random() % 5); i < count; ++i) {
      const std::string code = codes[random() % 6];
      const bool timed = code == "correct" && random() % 5 > 0;
      const double speedup = 0.25 * static_cast<double>(1 + random() % 12);  // ties happen
      samples.push_back(sample_of(problem, i, code, timed ? std::optional(speedup) : std::nullopt,
                                  code == "correct" ? std::optional(0.5 + speedup / 4) : std::nullopt));
    }
  return samples;
}

void expect_same(const GroupScore& a, const GroupScore& b) {
  ASSERT_EQ(a.figures.size(), b.figures.size());
  for (std::size_t i = 0; i < a.figures.size(); ++i) {
    EXPECT_EQ(a.figures[i].figure.value, b.figures[i].figure.value) << a.figures[i].name;
    EXPECT_EQ(a.figures[i].figure.problems, b.figures[i].figure.problems) << a.figures[i].name;
  }
  EXPECT_EQ(a.codes, b.codes);
}

TEST(LeaderboardProperties, TheOrderOfSamplesDoesNotMatter) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    LeaderboardInput input = input_of(6, random_samples(random, 6));
    const GroupScore before = score(input);
    std::shuffle(input.samples.begin(), input.samples.end(), random);
    expect_same(before, score(input));
  }
}

TEST(LeaderboardProperties, TwiceAsFastIsTwiceTheMean) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20; ++round) {
    LeaderboardInput input = input_of(6, random_samples(random, 6));
    const GroupScore before = score(input);
    for (LeaderboardSample& sample : input.samples)
      if (sample.score.speedup) *sample.score.speedup *= 2;
    const GroupScore after = score(input);
    ASSERT_EQ(before.figure("speedup").value.has_value(), after.figure("speedup").value.has_value());
    if (before.figure("speedup").value) EXPECT_NEAR(value(after, "speedup"), 2 * value(before, "speedup"), 1e-9);
    EXPECT_EQ(before.figure("fast_1").value, after.figure("fast_2").value);
    EXPECT_EQ(before.figure("correct").value, after.figure("correct").value);
  }
}

TEST(LeaderboardProperties, AnIncorrectSampleMoreChangesNothingOfTheBest) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    const auto samples = random_samples(random, 6);
    LeaderboardInput input = input_of(6, samples);
    const GroupScore before = score(input, {});
    for (const LeaderboardSample& sample : samples)
      if (sample.sample == 0 && is_verdict(sample.score))
        input.samples.push_back(sample_of(sample.problem, 99, "wrong_output"));
    const GroupScore after = score(input, {});
    ASSERT_EQ(before.figures.size(), after.figures.size());
    for (std::size_t i = 0; i < before.figures.size(); ++i)
      EXPECT_EQ(before.figures[i].figure.value, after.figures[i].figure.value) << before.figures[i].name;
  }
}

}  // namespace
}  // namespace kbv
