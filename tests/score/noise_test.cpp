// SPDX-License-Identifier: MIT
#include "score/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sample_observation.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;
using test::make_case;
using test::protocol;

constexpr int k_calls = 64;

/// One measure of pairs that `reference` and `candidate` make, each a function of nothing.
template <typename Reference, typename Candidate>
NoiseMeasure measured(Reference reference, Candidate candidate, double linear = 0) {
  NoiseMeasure m{"mean", 0, 0, 0, 0, linear, 0};
  for (int i = 0; i < k_calls; ++i) {
    const double r = reference(), c = candidate();
    m.expected += r / k_calls;
    m.got += c / k_calls;
    m.sum += c - r;
    m.sum_sq += (c - r) * (c - r);
  }
  return m;
}

/// Of vectors whose pairs' differences are `difference(pair, element)`: the field of noise.py. The operator norm by its bound, the Frobenius
/// norm, where all pairs are alike, and by power iteration otherwise.
template <typename Difference>
NoiseField field_of(Difference difference, int elements) {
  std::vector<std::vector<double>> d(k_calls, std::vector<double>(static_cast<std::size_t>(elements)));
  for (int k = 0; k < k_calls; ++k)
    for (int i = 0; i < elements; ++i) d[std::size_t(k)][std::size_t(i)] = difference(k, i);
  std::vector<std::vector<double>> gram(k_calls, std::vector<double>(k_calls));
  NoiseField f{"each element's mean", 0, 0, 0, 0, 0, 0};
  for (std::size_t a = 0; a < k_calls; ++a)
    for (std::size_t b = 0; b < k_calls; ++b) {
      double dot = 0;
      for (std::size_t i = 0; i < std::size_t(elements); ++i) dot += d[a][i] * d[b][i] / elements;
      gram[a][b] = dot;
      f.sum += dot;
      f.trace += a == b ? dot : 0;
      f.frobenius += dot * dot;
    }
  f.frobenius = std::sqrt(f.frobenius);
  std::vector<double> v(k_calls, 1);
  for (int step = 0; step < 100; ++step) {
    std::vector<double> w(k_calls, 0);
    double norm = 0;
    for (std::size_t a = 0; a < k_calls; ++a)
      for (std::size_t b = 0; b < k_calls; ++b) w[a] += gram[a][b] * v[b];
    for (const double x : w) norm += x * x;
    f.top = std::sqrt(norm);
    for (std::size_t a = 0; a < k_calls && norm > 0; ++a) v[a] = w[a] / f.top;
    if (norm == 0) break;
  }
  return f;
}

/// A right one whose noise is a tenth of its size, and many calls of it with these measures.
Observation noisy_observation(std::vector<NoiseMeasure> measures = {}, std::vector<NoiseField> fields = {}) {
  Observation o = test::good_observation();
  NoiseOutput output;
  output.sigma = 0.1;
  output.size = 1;
  output.far_mean = 2;
  output.far_sd = 0.02;
  output.far_least = output.least = 1.95;
  output.measures = std::move(measures);
  output.fields = std::move(fields);
  o.noise = Noise{{{"noise-D1", k_calls, {output}}}, {{0.02, 0.0002}}, ""};
  CaseResult many = make_case("noise-D1", "noise", "D1", {});
  many.calls = k_calls;
  many.outputs = o.output_layout;
  many.outputs[0].stats.count = 6;
  o.cases.push_back(many);
  return o;
}

Verdict attested(const Observation& o) { return judge_correctness(o, protocol("attested")); }

NoiseOutput& output_of(Observation& o) { return o.noise->draws[0].outputs[0]; }

/// Every case in training is this far from the reference's output of the same seed, squared and in parts of its size.
Observation with_own_numbers(Observation o, double apart) {
  for (CaseResult& result : o.cases)
    if (result.kind == "trial" || result.kind == "hidden" || result.kind == "timed")
      for (OutputCheck& output : result.outputs) {
        output.stats.tau = 0.3;
        output.stats.sum_sq_diff = apart * output.stats.sum_sq_expected;
      }
  return o;
}

TEST(Noise, OwnRandomNumbersAreRightUnderAttestedOnly) {
  const Observation o = with_own_numbers(noisy_observation(), 0.02);
  EXPECT_TRUE(attested(o).correct) << attested(o).reason;
  EXPECT_THAT(attested(o).reason, HasSubstr("64 calls by the distribution of random numbers"));
  for (const char* name : {"kernelbench", "verified"}) EXPECT_EQ(judge_correctness(o, protocol(name)).code, "wrong_output") << name;
  Observation not_random = o;
  not_random.noise.reset();
  EXPECT_EQ(attested(not_random).code, "wrong_output") << "one from before, or of a forward that draws none";
}

TEST(Noise, OtherProtocolsDoNotLookAtIt) {
  Observation o = noisy_observation();
  output_of(o).finite = false;
  for (const char* name : {"kernelbench", "verified"}) {
    const Verdict with = judge_correctness(o, protocol(name)), without = judge_correctness(test::good_observation(), protocol(name));
    EXPECT_EQ(with.code, without.code);
    EXPECT_EQ(with.reason, without.reason);
  }
  EXPECT_EQ(attested(o).code, "wrong_output");
  EXPECT_EQ(attested(o).worst_case, "noise-D1");
}

TEST(Noise, AMeasureThatIsOffInEveryCallIsTold) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  const auto plain = [&] { return normal(random); };
  const auto off = [&] { return 3 + normal(random); };
  EXPECT_TRUE(attested(noisy_observation({measured(plain, plain)})).correct);
  const Verdict verdict = attested(noisy_observation({measured(plain, plain), measured(plain, off)}));
  EXPECT_EQ(verdict.code, "wrong_output");
  EXPECT_THAT(verdict.reason, HasSubstr("output: not distributed as the reference's: mean is "));
  NoiseMeasure infinite = measured(plain, plain);
  infinite.sum = infinite.sum_sq = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(attested(noisy_observation({infinite})).correct);
}

TEST(Noise, WhatRoundingDoesIsNoOtherDistribution) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, 1e-4);
  const auto plain = [&] { return normal(random); };
  const auto rounded = [&] { return 0.009 + normal(random); };  // a thousandth of an output ten times its noise is 0.01
  EXPECT_FALSE(attested(noisy_observation({measured(plain, rounded)})).correct);
  EXPECT_TRUE(attested(noisy_observation({measured(plain, rounded, 10)})).correct);
  EXPECT_FALSE(attested(noisy_observation({measured(plain, [&] { return 0.02 + normal(random); }, 10)})).correct);
}

TEST(Noise, AFieldShowsWhatIsTheSameInEachCall) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr int k_elements = 200;
  std::vector<double> fixed;
  for (int i = 0; i < k_elements; ++i) fixed.push_back(normal(random));
  const auto fresh = [&](int, int) { return normal(random) - normal(random); };
  EXPECT_TRUE(attested(noisy_observation({}, {field_of(fresh, k_elements)})).correct);
  const auto same = [&](int, int i) { return fixed[std::size_t(i)] - normal(random); };
  EXPECT_THAT(attested(noisy_observation({}, {field_of(same, k_elements)})).reason, HasSubstr("each element's mean over 64 calls differs"));
}

TEST(Noise, TwoCallsWithTheSameNumbersAreTold) {
  Observation o = noisy_observation();
  output_of(o).least = 0;
  EXPECT_THAT(attested(o).reason, HasSubstr("two calls have the same random numbers"));
  output_of(o).far_least = 0;  // the reference does that too: few elements
  EXPECT_TRUE(attested(o).correct);
  output_of(o).far_least = 1.95;
  output_of(o).far_sd = 0.5;  // so does chance
  EXPECT_TRUE(attested(o).correct);
}

TEST(Noise, ASingleCallIsAsFarAsTwoRightOnesAre) {
  const auto verdict = [](double apart) { return attested(with_own_numbers(noisy_observation(), apart)); };
  EXPECT_TRUE(verdict(0.02).correct);
  EXPECT_TRUE(verdict(0.016).correct);
  EXPECT_TRUE(verdict(0).correct) << "the reference's own numbers";
  EXPECT_THAT(verdict(0.01).reason, HasSubstr("random numbers seem to be missing"));  // the noise of one side only
  EXPECT_FALSE(verdict(0.04).correct);
  EXPECT_FALSE(verdict(1).correct) << "another draw's output, or garbage";
  Observation timed = with_own_numbers(noisy_observation(), 0.02);
  for (CaseResult& result : timed.cases)
    if (result.id == "timed-1") result.outputs[0].stats.sum_sq_diff /= 2;
  EXPECT_EQ(attested(timed).worst_case, "timed-1") << "left out while timed";
  Observation infinite = with_own_numbers(noisy_observation(), 0.02);
  infinite.cases[2].outputs[0].stats.nonfinite = 1;
  EXPECT_FALSE(attested(infinite).correct);
}

TEST(Noise, AnOutputWithoutNoiseIsJudgedAsAnyOther) {
  Observation o = with_own_numbers(noisy_observation(), 0.02);
  output_of(o).sigma = 1e-4;
  EXPECT_EQ(attested(o).worst_case, "trial-0");
}

TEST(Noise, WhatWasNotLookedAtDoesNotPass) {
  Observation o = with_own_numbers(noisy_observation(), 0.02);
  o.noise = Noise{{}, {}, "no room for many calls"};
  o.cases.pop_back();
  EXPECT_EQ(attested(o).code, "machine_error");
  EXPECT_THAT(attested(o).reason, HasSubstr("their distribution was not looked at: no room for many calls"));
}

/// Of right candidates, whatever the distribution: none in 20,000 evaluations of 20 measures is rejected. By the bound it would be one in
/// 10 million evaluations.
TEST(Noise, RightRandomNumbersAreNotRejected) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  std::cauchy_distribution<double> heavy;
  std::bernoulli_distribution rare(0.02);
  std::exponential_distribution<double> skewed;
  const Protocol rules = protocol("attested");
  Observation o = noisy_observation();
  int rejected = 0;
  for (int evaluation = 0; evaluation < 20'000; ++evaluation) {
    std::vector<NoiseMeasure>& measures = output_of(o).measures;
    measures.clear();
    for (int i = 0; i < 5; ++i) {
      measures.push_back(measured([&] { return normal(random); }, [&] { return normal(random); }));
      measures.push_back(measured([&] { return heavy(random); }, [&] { return heavy(random); }));
      measures.push_back(measured([&] { return double(rare(random)); }, [&] { return double(rare(random)); }));
      measures.push_back(measured([&] { return skewed(random); }, [&] { return skewed(random); }));
    }
    rejected += noise_failure(o.cases.back(), o, rules).has_value();
  }
  EXPECT_EQ(rejected, 0);
}

}  // namespace
}  // namespace kbv
