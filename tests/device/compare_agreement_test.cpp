// SPDX-License-Identifier: MIT
// The comparison against the reference implementation of it, over random and adversarial data of every type; and one
// backend against the other.
#include <cmath>
#include <functional>
#include <random>
#include <type_traits>

#include "backends.h"
#include "compare_checks.h"
#include "compare_reference.h"

namespace kbv::test {
namespace {

using Bytes = std::vector<unsigned char>;

struct Pair {
  Bytes expected;
  Bytes got;
};

const std::vector<DType> k_all = {DType::float64,   DType::float32,    DType::float16, DType::bfloat16,
                                  DType::complex64, DType::complex128, DType::int64,   DType::int32,
                                  DType::int16,     DType::int8,       DType::uint8,   DType::boolean};

class CompareAgreementTest : public BackendTest {
 protected:
  void expect_as_reference(DType dtype, const Pair& pair, std::uint64_t count) {
    SCOPED_TRACE(std::string(dtype_name(dtype)) + " x " + std::to_string(count));
    auto e = upload(pair.expected);
    auto g = upload(pair.got);
    ASSERT_TRUE(e && g);
    const auto stats = device().compare(dtype, *e, *g, count);
    ASSERT_TRUE(stats) << stats.error().message;
    expect_agreement(reference_compare(dtype, pair.expected.data(), pair.got.data(), count), *stats);
  }
};
KBV_ON_EACH_BACKEND(CompareAgreementTest);

/// Every bit pattern: NaNs, infinities, subnormals and extremes. One byte in `rarity` differs.
Pair random_bits(std::size_t bytes, unsigned seed, unsigned rarity) {
  std::mt19937_64 engine(seed);
  Pair pair{Bytes(bytes), Bytes(bytes)};
  for (std::size_t i = 0; i < bytes; ++i) {
    pair.expected[i] = static_cast<unsigned char>(engine() >> 11);
    pair.got[i] = engine() % rarity == 0 ? static_cast<unsigned char>(engine() >> 11) : pair.expected[i];
  }
  return pair;
}

template <typename T>
Pair make_pair_of(std::size_t count, const std::function<void(T& expected, T& got)>& next) {
  std::vector<T> e(count);
  std::vector<T> g(count);
  for (std::size_t i = 0; i < count; ++i) next(e[i], g[i]);
  Pair pair{Bytes(count * sizeof(T)), Bytes(count * sizeof(T))};
  std::memcpy(pair.expected.data(), e.data(), pair.expected.size());
  std::memcpy(pair.got.data(), g.data(), pair.got.size());
  return pair;
}

TEST_P(CompareAgreementTest, SmallAndOddSizes) {
  for (const DType dtype : k_all) {
    for (const std::uint64_t count : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u})
      expect_as_reference(dtype, random_bits(count * dtype_bytes(dtype), static_cast<unsigned>(count), 8), count);
  }
}

TEST_P(CompareAgreementTest, SizesAroundBlocksAndChunks) {
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::int8}) {
    for (const std::uint64_t around : {256u, 1024u, 2048u, 4096u, 65536u, 524288u, 1048576u}) {
      for (const std::uint64_t count : {around - 1, around, around + 1}) {
        expect_as_reference(dtype, random_bits(count * dtype_bytes(dtype), static_cast<unsigned>(count), 50), count);
      }
    }
  }
}

TEST_P(CompareAgreementTest, EveryBitPatternOfSixteenBits) {
  Pair pair{Bytes(131072), Bytes(131072)};
  for (unsigned i = 0; i < 65536; ++i) {
    const unsigned other = (i * 40503u) & 0xFFFFu;
    std::memcpy(&pair.expected[2 * i], &i, 2);
    std::memcpy(&pair.got[2 * i], &other, 2);
  }
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::int16}) {
    expect_as_reference(dtype, pair, 65536);
    // Finite only: with a NaN in it, the worst index says nothing of tau.
    for (auto* bytes : {&pair.expected, &pair.got})
      for (std::size_t i = 1; i < bytes->size(); i += 2) (*bytes)[i] &= 0xBF;
    expect_as_reference(dtype, pair, 65536);
  }
}

TEST_P(CompareAgreementTest, HonestNoise) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  const auto noisy = [&](auto& e, auto& g) {
    using T = std::remove_reference_t<decltype(e)>;
    e = static_cast<T>(normal(engine));
    g = static_cast<T>(static_cast<double>(e) * (1 + 1e-6 * normal(engine)));
  };
  expect_as_reference(DType::float32, make_pair_of<float>(1'300'000, noisy), 1'300'000);
  expect_as_reference(DType::float64, make_pair_of<double>(700'001, noisy), 700'001);
}

// Quotients that differ in the last place or not at all: the filter before the division must let each of them pass
// that could set tau, or the result would depend on the order of visits.
TEST_P(CompareAgreementTest, QuotientsThatAlmostTie) {
  std::mt19937_64 engine(12);
  std::uniform_real_distribution<double> mantissa(1, 2);
  for (const double tau : {1e-3, 1.0 / 3, 5e-320, 7e-308, 1e300}) {
    const auto tie = [&](double& e, double& g) {
      e = tau > 1e200 ? mantissa(engine) : mantissa(engine) * std::ldexp(1.0, static_cast<int>(engine() % 8) - 4);
      const double difference = tau * (1 + e);
      // Rounding at the size of e would spread the quotients: where it does, e's sign and place are given up instead.
      g = tau < 1e-100 ? difference : e + difference;
      if (tau < 1e-100) e = 0;
    };
    expect_as_reference(DType::float64, make_pair_of<double>(200'000, tie), 200'000);
  }
  // Small integers tie exactly and often.
  const auto small = [&](float& e, float& g) {
    e = static_cast<float>(engine() % 8);
    g = static_cast<float>(engine() % 8);
  };
  expect_as_reference(DType::float32, make_pair_of<float>(2'000'000, small), 2'000'000);
}

TEST_P(CompareAgreementTest, EqualQuotientsFarApart) {
  std::size_t i = 0;
  const auto few = [&](float& e, float& g) {
    e = 1;
    g = i++ % 700'000 == 699'999 ? 3.0f : 1.0f;
  };
  expect_as_reference(DType::float32, make_pair_of<float>(3'000'000, few), 3'000'000);
}

// Ascending quotients make every element a new maximum.
TEST_P(CompareAgreementTest, EveryElementIsWorseThanThoseBefore) {
  float next = 0;
  const auto ascend = [&](float& e, float& g) {
    e = 1;
    g = 1 + (next += 0x1p-20f);
  };
  expect_as_reference(DType::float32, make_pair_of<float>(600'000, ascend), 600'000);
}

TEST_P(CompareAgreementTest, RepeatsBitForBit) {
  const Pair pair = random_bits(4 * 3'000'000, 13, 10);
  Pair finite = pair;
  for (std::size_t i = 3; i < finite.expected.size(); i += 4) {
    finite.expected[i] &= 0xBF;
    finite.got[i] &= 0xBF;
  }
  auto e = upload(finite.expected);
  auto g = upload(finite.got);
  ASSERT_TRUE(e && g);
  const auto first = device().compare(DType::float32, *e, *g, 3'000'000);
  ASSERT_TRUE(first);
  for (int i = 0; i < 10; ++i) {
    const auto again = device().compare(DType::float32, *e, *g, 3'000'000);
    ASSERT_TRUE(again);
    expect_agreement(*first, *again);
    EXPECT_EQ(first->sum_abs, again->sum_abs);
    EXPECT_EQ(first->sum_sq_diff, again->sum_sq_diff);
    EXPECT_EQ(first->sum_sq_expected, again->sum_sq_expected);
  }
}

TEST(BackendsTest, AgreeOnEveryType) {
  std::string reason;
  Device* cuda = shared_device("cuda", reason);
  if (cuda == nullptr) GTEST_SKIP() << reason;
  Device* host = shared_device("host", reason);
  const std::uint64_t bytes = 16'000'000;
  for (const unsigned rarity : {1u, 1000u}) {
    const Pair pair = random_bits(bytes, rarity, rarity);
    const auto run = [&](Device& device, DType dtype) {
      auto e = device.allocate_private(bytes).value();
      auto g = device.allocate_private(bytes).value();
      EXPECT_TRUE(device.write(*e, 0, pair.expected.data(), bytes));
      EXPECT_TRUE(device.write(*g, 0, pair.got.data(), bytes));
      return device.compare(dtype, *e, *g, bytes / dtype_bytes(dtype)).value();
    };
    for (const DType dtype : k_all) {
      SCOPED_TRACE(dtype_name(dtype));
      expect_agreement(run(*host, dtype), run(*cuda, dtype));
    }
  }
}

}  // namespace
}  // namespace kbv::test
