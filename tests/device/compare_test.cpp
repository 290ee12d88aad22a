// SPDX-License-Identifier: MIT
// The comparison's edge cases, each with its answer written out, on each backend.
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends.h"

namespace kbv::test {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

class CompareTest : public BackendTest {
 protected:
  template <typename T>
  CompareStats compare(DType dtype, const std::vector<T>& expected, const std::vector<T>& got) {
    auto e = upload(expected);
    auto g = upload(got);
    if (!e || !g) return {};
    auto stats = device().compare(dtype, *e, *g, expected.size() * sizeof(T) / dtype_bytes(dtype));
    if (!stats) ADD_FAILURE() << stats.error().message;
    return stats ? *stats : CompareStats{};
  }

  CompareStats compare_floats(const std::vector<float>& expected, const std::vector<float>& got) {
    return compare(DType::float32, expected, got);
  }
  CompareStats compare_doubles(const std::vector<double>& expected, const std::vector<double>& got) {
    return compare(DType::float64, expected, got);
  }
};
KBV_ON_EACH_BACKEND(CompareTest);

constexpr auto k_float_inf = std::numeric_limits<float>::infinity();
constexpr auto k_float_nan = std::numeric_limits<float>::quiet_NaN();

TEST_P(CompareTest, NoElements) {
  const CompareStats stats = compare_floats({}, {});
  EXPECT_EQ(stats.count, 0u);
  EXPECT_EQ(stats.tau, 0);
  EXPECT_EQ(stats.worst_index, 0u);
}

TEST_P(CompareTest, OneElement) {
  const CompareStats stats = compare_floats({3}, {5});
  EXPECT_EQ(stats.count, 1u);
  EXPECT_EQ(stats.nonfinite, 0u);
  EXPECT_EQ(stats.unequal, 1u);
  EXPECT_EQ(stats.max_abs, 2);
  EXPECT_EQ(stats.sum_abs, 2);
  EXPECT_EQ(stats.sum_sq_diff, 4);
  EXPECT_EQ(stats.sum_sq_expected, 9);
  EXPECT_EQ(stats.tau, 0.5);
  EXPECT_EQ(stats.worst_index, 0u);
  EXPECT_EQ(stats.worst_expected, 3);
  EXPECT_EQ(stats.worst_got, 5);
}

TEST_P(CompareTest, EqualArraysNameTheFirstElement) {
  const CompareStats stats = compare_floats({7, 8, 9}, {7, 8, 9});
  EXPECT_EQ(stats.unequal, 0u);
  EXPECT_EQ(stats.tau, 0);
  EXPECT_EQ(stats.worst_index, 0u);
  EXPECT_EQ(stats.worst_expected, 7);
  EXPECT_EQ(stats.worst_got, 7);
}

TEST_P(CompareTest, MaxAbsAndTauMayComeFromDifferentElements) {
  const CompareStats stats = compare_floats({1000, 0}, {1010, 1});
  EXPECT_EQ(stats.max_abs, 10);
  EXPECT_EQ(stats.tau, 1);
  EXPECT_EQ(stats.worst_index, 1u);
}

TEST_P(CompareTest, TauIsRelativeToTheExpectedSide) {
  EXPECT_EQ(compare_floats({0}, {1}).tau, 1);
  EXPECT_EQ(compare_floats({1}, {0}).tau, 0.5);
}

TEST_P(CompareTest, SignedZerosAreEqual) {
  const CompareStats stats = compare_floats({0.0f, -0.0f}, {-0.0f, 0.0f});
  EXPECT_EQ(stats.unequal, 0u);
  EXPECT_EQ(stats.max_abs, 0);
}

TEST_P(CompareTest, NanOnEitherSideOrBothIsNonfinite) {
  const CompareStats stats = compare_floats({1, 2, k_float_nan, k_float_nan, 5}, {1, k_float_nan, 3, k_float_nan, 6});
  EXPECT_EQ(stats.nonfinite, 3u);
  EXPECT_EQ(stats.unequal, 4u);
  EXPECT_EQ(stats.max_abs, 1);
  EXPECT_EQ(stats.sum_sq_expected, 26) << "nonfinite elements stay out of the sums";
  EXPECT_EQ(stats.worst_index, 1u) << "the first nonfinite element, not the one that sets tau";
  EXPECT_EQ(stats.worst_expected, 2);
  EXPECT_TRUE(std::isnan(stats.worst_got));
}

TEST_P(CompareTest, InfinitiesAgreeOnlyWithThemselves) {
  const float inf = k_float_inf;
  const CompareStats stats = compare_floats({inf, -inf, inf, inf, 1}, {inf, -inf, -inf, 3, inf});
  EXPECT_EQ(stats.nonfinite, 3u);
  EXPECT_EQ(stats.unequal, 3u);
  EXPECT_EQ(stats.max_abs, 0);
  EXPECT_EQ(stats.sum_sq_expected, 0);
  EXPECT_EQ(stats.worst_index, 2u);
  EXPECT_EQ(stats.worst_expected, k_inf);
  EXPECT_EQ(stats.worst_got, -k_inf);
}

TEST_P(CompareTest, EqualInfinitiesAloneAreAgreement) {
  const CompareStats stats = compare_doubles({k_inf, -k_inf}, {k_inf, -k_inf});
  EXPECT_EQ(stats.nonfinite, 0u);
  EXPECT_EQ(stats.unequal, 0u);
  EXPECT_EQ(stats.worst_index, 0u);
  EXPECT_EQ(stats.worst_expected, k_inf);
}

TEST_P(CompareTest, EveryNanPayloadIsNan) {
  const std::vector<std::uint32_t> expected(6, 0);
  const std::vector<std::uint32_t> got = {0x7F800001, 0xFF800001, 0x7FC00000, 0xFFFFFFFF, 0x7FBFFFFF, 0x7FFFFFFF};
  const CompareStats stats = compare(DType::float32, expected, got);
  EXPECT_EQ(stats.nonfinite, 6u);
  EXPECT_EQ(stats.max_abs, 0);
}

TEST_P(CompareTest, SubnormalsAreNotFlushed) {
  const std::vector<std::uint32_t> expected = {0, 1};
  const std::vector<std::uint32_t> got = {1, 3};
  const CompareStats stats = compare(DType::float32, expected, got);
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.max_abs, 0x1p-148);
  EXPECT_EQ(stats.worst_index, 1u);
}

TEST_P(CompareTest, DoubleSubnormalsDifferToo) {
  const std::vector<std::uint64_t> expected = {5, 5, 5};
  const std::vector<std::uint64_t> got = {5, 6, 8};
  const CompareStats stats = compare(DType::float64, expected, got);
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.max_abs, 3 * std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(stats.tau, 3 * std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(stats.worst_index, 2u);
}

TEST_P(CompareTest, DifferenceOfFiniteDoublesMayOverflow) {
  const double large = 1.7e308;
  const CompareStats stats = compare_doubles({1, large, -large}, {2, -large, -large});
  EXPECT_EQ(stats.nonfinite, 0u);
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.max_abs, k_inf);
  EXPECT_EQ(stats.tau, k_inf);
  EXPECT_EQ(stats.worst_index, 1u);
  // Also where the largest quotient so far, times the scale, overflows.
  EXPECT_EQ(compare_doubles({0, large}, {large, -large}).tau, k_inf);
  EXPECT_EQ(compare_doubles({0, large, large}, {large, -large, -large}).worst_index, 1u);
}

TEST_P(CompareTest, LowestIndexOfEquals) {
  std::vector<float> expected(10'000, 1.0f);
  std::vector<float> got = expected;
  for (const std::size_t at : {9'999u, 4'000u, 5'000u, 3'999u}) got[at] = 3.0f;
  EXPECT_EQ(compare_floats(expected, got).worst_index, 3'999u);
  got[9'998] = -k_float_inf;
  got[9'997] = k_float_nan;
  EXPECT_EQ(compare_floats(expected, got).worst_index, 9'997u);
}

TEST_P(CompareTest, HalfPrecisionValues) {
  // 1, 2, 65504 (largest), 2^-24 (smallest subnormal), -2^-14 (largest-magnitude boundary), infinity
  const std::vector<std::uint16_t> values = {0x3C00, 0x4000, 0x7BFF, 0x0001, 0x8400, 0x7C00};
  const std::vector<std::uint16_t> zeros(values.size(), 0);
  const CompareStats stats = compare(DType::float16, values, zeros);
  EXPECT_EQ(stats.nonfinite, 1u);
  EXPECT_EQ(stats.unequal, 6u);
  EXPECT_EQ(stats.max_abs, 65504);
  EXPECT_EQ(stats.sum_abs, 1 + 2 + 65504 + 0x1p-24 + 0x1p-14);
  EXPECT_EQ(stats.worst_index, 5u);
  EXPECT_EQ(stats.worst_expected, k_inf);
}

TEST_P(CompareTest, BFloat16Values) {
  const std::vector<std::uint16_t> values = {0x3F80, 0xC040, 0x0001};  // 1, -3, 2^-133
  const std::vector<std::uint16_t> zeros(values.size(), 0);
  const CompareStats stats = compare(DType::bfloat16, values, zeros);
  EXPECT_EQ(stats.unequal, 3u);
  EXPECT_EQ(stats.max_abs, 3);
  EXPECT_EQ(stats.worst_index, 1u);
  EXPECT_EQ(stats.worst_expected, -3);
}

TEST_P(CompareTest, Int64UnequalIsExactBeyondDoubles) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const CompareStats stats = compare<std::int64_t>(DType::int64, {most, most, least}, {most, most - 1, most});
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.nonfinite, 0u);
  EXPECT_EQ(stats.max_abs, 0x1p64);
  EXPECT_EQ(stats.worst_index, 2u);
  EXPECT_EQ(stats.worst_expected, -0x1p63);
}

TEST_P(CompareTest, SmallIntegersDoNotWrap) {
  EXPECT_EQ(compare<std::int8_t>(DType::int8, {-128}, {127}).max_abs, 255);
  EXPECT_EQ(compare<std::uint8_t>(DType::uint8, {0}, {255}).max_abs, 255);
  EXPECT_EQ(compare<std::int16_t>(DType::int16, {-32768}, {32767}).max_abs, 65535);
  EXPECT_EQ(compare<std::int32_t>(DType::int32, {INT32_MIN}, {INT32_MAX}).max_abs, 4294967295.0);
}

TEST_P(CompareTest, AnyNonzeroByteIsTrue) {
  const CompareStats stats = compare<std::uint8_t>(DType::boolean, {0, 1, 1, 0, 1}, {0, 1, 0xFF, 2, 0});
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.max_abs, 1);
  EXPECT_EQ(stats.worst_index, 3u) << "expected false: the scale is 1, not 2";
  EXPECT_EQ(stats.worst_got, 1);
}

TEST_P(CompareTest, ComplexIsTwoRealElements) {
  const CompareStats stats = compare_floats({1, 2, 3, 4}, {1, 2, 3, 4});
  EXPECT_EQ(stats.count, 4u);
  const CompareStats complex = compare<float>(DType::complex64, {1, 2, 3, 4}, {1, 2, 3, 9});
  EXPECT_EQ(complex.count, 4u);
  EXPECT_EQ(complex.unequal, 1u);
  EXPECT_EQ(complex.max_abs, 5);
  EXPECT_EQ(complex.worst_index, 3u) << "an index of real elements";
  EXPECT_EQ(compare<double>(DType::complex128, {1, k_nan}, {1, k_nan}).nonfinite, 1u);
}

TEST_P(CompareTest, OnlyTheFirstElementsCount) {
  auto e = upload(std::vector<float>{1, 2, 3, 4, 5, 6, 7});
  auto g = upload(std::vector<float>{1, 2, 3, 4, 5, 0, 0, 0, 0});
  ASSERT_TRUE(e && g);
  const auto stats = device().compare(DType::float32, *e, *g, 5);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->count, 5u);
  EXPECT_EQ(stats->unequal, 0u);
}

TEST_P(CompareTest, PoisonIsNonfiniteInEveryFloatingType) {
  auto expected = allocate(4096);
  auto got = allocate(4096);
  ASSERT_TRUE(expected && got);
  ASSERT_TRUE(device().fill(*got, 0xFF));
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::complex64}) {
    const auto stats = device().compare(dtype, *expected, *got, 4096 / dtype_bytes(dtype));
    ASSERT_TRUE(stats);
    EXPECT_EQ(stats->nonfinite, stats->count) << dtype_name(dtype);
  }
}

}  // namespace
}  // namespace kbv::test
