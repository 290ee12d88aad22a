// SPDX-License-Identifier: MIT
// What holds for any observation, tried on random ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "sample_observation.h"
#include "score/protocol.h"

namespace kbv {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  bool one_in(std::uint64_t n) { return random_() % n == 0; }
  double up_to(double limit) { return limit * static_cast<double>(random_() >> 11) / static_cast<double>(1ull << 53); }

 private:
  std::mt19937_64 random_;
};

Observation random_observation(std::uint64_t seed) {
  Dice dice(seed);
  Observation observation = test::good_observation();
  const bool integers = dice.one_in(8);
  for (CaseResult& result : observation.cases) {
    result.dropped = dice.one_in(10);
    result.ran = !dice.one_in(60);
    for (OutputCheck& output : result.outputs) {
      output.dtype = integers ? DType::int32 : DType::float32;
      output.stats.tau = std::pow(10, -dice.up_to(7));
      output.stats.sum_sq_diff = dice.one_in(20) ? 1.0 : 0.0;
      output.stats.unequal = dice.one_in(3);
      output.stats.nonfinite = dice.one_in(60);
    }
  }
  if (dice.one_in(10)) observation.fault = Error{Fault::candidate, "crash", "signal 11", ""};
  if (dice.one_in(40)) observation.fault = Error{Fault::machine, "gpu_lost", "no GPU", ""};
  observation.candidate_time.attested_us = test::samples_around(300 + dice.up_to(20) - 3, dice.up_to(3));
  if (dice.one_in(5)) observation.baselines.clear();
  if (dice.one_in(5)) observation.machine.backend = "host";
  return observation;
}

std::string describe(const Verdict& verdict) {
  std::string text = fmt::format("{} {} {} {} {}", verdict.protocol, verdict.correct, verdict.code, verdict.reason,
                                 verdict.worst_case);
  for (const SpeedScore& s : verdict.speed)
    text += fmt::format(" | {} {} {} {} {} {} {} {}", s.baseline, s.baseline_us, s.candidate_us, s.speedup.value,
                        s.speedup.low, s.speedup.high, s.resolved, s.note);
  for (const CaseVerdict& c : verdict.cases) text += fmt::format(" | {} {} {}", c.id, c.needed, static_cast<int>(c.state));
  return text + fmt::format(" | {}", verdict.memory_ratio.value_or(-1));
}

TEST(Property, JudgingIsPure) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::string> first;
    for (const Protocol& protocol : builtin_protocols())
      first.push_back(describe(judge_observation(random_observation(seed), protocol)));
    for (std::size_t i = first.size(); i-- > 0;)  // again, in another order, from another copy
      EXPECT_EQ(describe(judge_observation(random_observation(seed), builtin_protocols()[i])), first[i]);
  }
}

TEST(Property, SmallestToleranceIsWhereTheVerdictTurns) {
  int finite = 0, infinite = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Observation observation = random_observation(seed);
    observation.candidate_time = {};  // spares the bootstrap
    for (const Protocol& protocol : builtin_protocols()) {
      const double smallest = smallest_tolerance(observation, protocol);
      const auto correct = [&](double t) { return judge_observation(observation, protocol, t).correct; };
      EXPECT_EQ(correct(smallest), std::isfinite(smallest)) << seed;
      if (smallest > 0 && std::isfinite(smallest)) {
        EXPECT_FALSE(correct(std::nextafter(smallest, 0.0))) << seed;
      }
      ++(std::isfinite(smallest) ? finite : infinite);
    }
  }
  EXPECT_GT(finite, 100);  // both happen, or this tests nothing
  EXPECT_GT(infinite, 100);
}

TEST(Property, VerdictsAreConsistent) {
  int correct = 0, with_ratio = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Observation observation = random_observation(seed);
    const auto verdict = [&](const char* rules) { return judge_observation(observation, test::protocol(rules)); };
    // attested asks for all that verified asks for, and more.
    if (verdict("attested").correct) {
      EXPECT_TRUE(verdict("verified").correct) << seed;
    }
    for (const Protocol& protocol : builtin_protocols()) {
      const Verdict v = judge_observation(observation, protocol);
      EXPECT_EQ(v.correct, v.code == "correct");
      EXPECT_FALSE(v.reason.empty());
      EXPECT_TRUE(v.correct || (v.speed.empty() && !v.memory_ratio));
      correct += v.correct;
      for (const SpeedScore& s : v.speed) {
        EXPECT_GE(s.speedup.value, 0);
        EXPECT_TRUE(s.speedup.value == 0 || (s.candidate_us > 0 && s.baseline_us > 0));
        EXPECT_TRUE(s.resolved || !s.note.empty());
        EXPECT_LE(s.speedup.low, s.speedup.high);
        with_ratio += s.speedup.value > 0;
      }
    }
  }
  EXPECT_GT(correct, 10);
  EXPECT_GT(with_ratio, 10);
}

}  // namespace
}  // namespace kbv
