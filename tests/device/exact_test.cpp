// SPDX-License-Identifier: MIT
// compare_exact()'s edge cases, each with its answer written out, on each backend.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends.h"
#include "device/exact_stats.h"

namespace kbv::test {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_largest = std::numeric_limits<double>::max();
constexpr double k_tiny = std::numeric_limits<double>::denorm_min();
constexpr auto k_float_inf = std::numeric_limits<float>::infinity();
constexpr auto k_float_nan = std::numeric_limits<float>::quiet_NaN();
const double k_free = std::bit_cast<double>(std::uint64_t{0x7FF800000000F4EE});

class ExactTest : public BackendTest {
 protected:
  template <typename T>
  Result<ExactStats> try_compare(DType dtype, const std::vector<double>& exact, const std::vector<double>& rho,
                                 const std::vector<T>& got, std::uint64_t slice_elements) {
    auto e = upload(exact);
    auto r = upload(rho);
    auto g = upload(got);
    return device().compare_exact(dtype, *e, *r, *g, got.size() * sizeof(T) / dtype_bytes(dtype), slice_elements);
  }

  template <typename T>
  ExactStats compare(DType dtype, const std::vector<double>& exact, const std::vector<double>& rho,
                     const std::vector<T>& got, std::uint64_t slice_elements) {
    auto stats = try_compare(dtype, exact, rho, got, slice_elements);
    if (!stats) ADD_FAILURE() << stats.error().message;
    return stats ? *stats : ExactStats{};
  }

  ExactStats compare_floats(const std::vector<double>& exact, const std::vector<float>& got) {
    return compare(DType::float32, exact, {1}, got, got.size());
  }
  ExactStats compare_doubles(const std::vector<double>& exact, double rho, const std::vector<double>& got) {
    return compare(DType::float64, exact, {rho}, got, got.size());
  }
};
KBV_ON_EACH_BACKEND(ExactTest);

TEST_P(ExactTest, FreeBitsAreTheOraclesOwn) { EXPECT_EQ(k_free_bits, 0x7FF800000000F4EEull); }

TEST_P(ExactTest, NoElements) {
  const ExactStats stats = compare<float>(DType::float32, {}, {}, {}, 0);
  EXPECT_EQ(stats.count, 0u);
  EXPECT_EQ(stats.e_max, 0);
  EXPECT_EQ(stats.e_rms, 0);
}

TEST_P(ExactTest, OneElement) {
  const ExactStats stats = compare<float>(DType::float32, {3}, {0.5}, {5}, 1);
  EXPECT_EQ(stats.count, 1u);
  EXPECT_EQ(stats.free, 0u);
  EXPECT_EQ(stats.nonfinite, 0u);
  EXPECT_EQ(stats.unequal, 1u);
  EXPECT_EQ(stats.e_max, 2 / 3.5);
  EXPECT_EQ(stats.e_rms, 4);
  EXPECT_EQ(stats.sum_sq_diff, 4);
  EXPECT_EQ(stats.worst_index, 0u);
  EXPECT_EQ(stats.worst_expected, 3);
  EXPECT_EQ(stats.worst_got, 5);
  EXPECT_EQ(stats.worst_slice, 0u);
}

TEST_P(ExactTest, EqualArraysNameTheFirstElement) {
  const ExactStats stats = compare_floats({7, 8, 9}, {7, 8, 9});
  EXPECT_EQ(stats.unequal, 0u);
  EXPECT_EQ(stats.e_max, 0);
  EXPECT_EQ(stats.e_rms, 0);
  EXPECT_EQ(stats.worst_index, 0u);
  EXPECT_EQ(stats.worst_expected, 7);
  EXPECT_EQ(stats.worst_slice, 0u);
}

TEST_P(ExactTest, EachSliceHasItsRho) {
  // Differences 1, 1 | 3, 0 | 2, alone in the last slice.
  const ExactStats stats = compare<float>(DType::float32, {0, 0, 0, 0, 0}, {1, 8, 4}, {1, -1, 3, 0, 2}, 2);
  EXPECT_EQ(stats.count, 5u);
  EXPECT_EQ(stats.unequal, 4u);
  EXPECT_EQ(stats.sum_sq_diff, 1 + 1 + 9 + 4);
  EXPECT_EQ(stats.e_max, 1);
  EXPECT_EQ(stats.worst_index, 0u);
  EXPECT_EQ(stats.e_rms, 1);
  EXPECT_EQ(stats.worst_slice, 0u);
  const ExactStats last = compare<float>(DType::float32, {0, 0, 0, 0, 0}, {8, 8, 1}, {1, -1, 3, 0, 2}, 2);
  EXPECT_EQ(last.e_rms, 2) << "the shorter slice has one element, not two";
  EXPECT_EQ(last.worst_slice, 2u);
  EXPECT_EQ(last.worst_index, 4u);
}

TEST_P(ExactTest, WorstSliceNeedNotHoldTheWorstElement) {
  const ExactStats stats =
      compare<float>(DType::float32, {0, 0, 0, 0, 2, 2, 2, 2}, {1, 1}, {2, 0, 0, 0, 4, 4, 4, 4}, 4);
  EXPECT_EQ(stats.e_max, 2);
  EXPECT_EQ(stats.worst_index, 0u);
  EXPECT_EQ(stats.e_rms, 2);
  EXPECT_EQ(stats.worst_slice, 1u);
}

TEST_P(ExactTest, TheDifferenceIsOfDoubles) {
  const ExactStats stats = compare_floats({1.0 / 3}, {1.0f / 3});
  EXPECT_EQ(stats.unequal, 1u);
  EXPECT_EQ(stats.e_max, (static_cast<double>(1.0f / 3) - 1.0 / 3) / (1.0 / 3 + 1));
}

TEST_P(ExactTest, FreeElementsTakeAnyValue) {
  const ExactStats stats = compare_floats({k_free, 1, k_free, k_free, k_free}, {9, 1, k_float_nan, -k_float_inf, 0});
  EXPECT_EQ(stats.free, 4u);
  EXPECT_EQ(stats.nonfinite, 0u);
  EXPECT_EQ(stats.unequal, 0u);
  EXPECT_EQ(stats.e_max, 0);
  EXPECT_EQ(stats.e_rms, 0);
  EXPECT_EQ(stats.worst_got, 9);
  EXPECT_EQ(compare_floats({k_free, 0}, {9, 1}).e_rms, std::sqrt(0.5)) << "a free element is one of its slice's";
}

TEST_P(ExactTest, OnlyTheExactBitsAreFree) {
  for (const std::uint64_t bits : {0x7FF800000000F4EFull, 0xFFF800000000F4EEull, 0x7FF000000000F4EEull,
                                   0x7FF8000000000000ull, 0xFFFFFFFFFFFFFFFFull}) {
    const double other = std::bit_cast<double>(std::uint64_t{bits});
    const ExactStats stats = compare_floats({other, other}, {1, k_float_nan});
    EXPECT_EQ(stats.free, 0u);
    EXPECT_EQ(stats.nonfinite, 1u);
    EXPECT_EQ(stats.unequal, 1u);
    EXPECT_EQ(stats.worst_index, 0u);
  }
  // It is the oracle that frees: a candidate that writes these bits has written a NaN.
  const ExactStats stats = compare_doubles({1, k_nan}, 1, {k_free, k_free});
  EXPECT_EQ(stats.free, 0u);
  EXPECT_EQ(stats.nonfinite, 1u);
}

TEST_P(ExactTest, ClassesMustMatch) {
  const ExactStats stats = compare_floats({1, k_nan, k_inf, -k_inf, k_inf, k_inf, 2, k_nan},
                                          {1, k_float_nan, k_float_inf, -k_float_inf, -k_float_inf, 3, k_float_inf, 4});
  EXPECT_EQ(stats.nonfinite, 4u);
  EXPECT_EQ(stats.unequal, 4u);
  EXPECT_EQ(stats.e_max, 0);
  EXPECT_EQ(stats.sum_sq_diff, 0);
  EXPECT_EQ(stats.worst_index, 4u);
  EXPECT_EQ(stats.worst_expected, k_inf);
  EXPECT_EQ(stats.worst_got, -k_inf);
}

TEST_P(ExactTest, FirstNonfiniteGoesBeforeTheLargestError) {
  const ExactStats stats = compare_floats({0, 0, 0, 0}, {5, k_float_nan, k_float_inf, 7});
  EXPECT_EQ(stats.nonfinite, 2u);
  EXPECT_EQ(stats.unequal, 4u);
  EXPECT_EQ(stats.e_max, 7);
  EXPECT_EQ(stats.worst_index, 1u);
  EXPECT_TRUE(std::isnan(stats.worst_got));
  EXPECT_EQ(stats.sum_sq_diff, 25 + 49);
}

TEST_P(ExactTest, AFloatsInfinityIsNotALargeOracle) {
  EXPECT_EQ(compare_floats({1e300}, {k_float_inf}).nonfinite, 1u);
  EXPECT_EQ(compare_floats({k_inf}, {std::numeric_limits<float>::max()}).nonfinite, 1u);
}

TEST_P(ExactTest, EveryNanPayloadIsNan) {
  const std::vector<std::uint32_t> got = {0x7F800001, 0xFF800001, 0x7FC00000, 0xFFFFFFFF, 0x7FBFFFFF, 0x7FFFFFFF};
  EXPECT_EQ(compare(DType::float32, std::vector<double>(6, k_nan), {1}, got, 6).unequal, 0u);
  EXPECT_EQ(compare(DType::float32, std::vector<double>(6, 0), {1}, got, 6).nonfinite, 6u);
}

TEST_P(ExactTest, SignedZerosAreEqual) { EXPECT_EQ(compare_floats({0.0, -0.0}, {-0.0f, 0.0f}).unequal, 0u); }

TEST_P(ExactTest, SubnormalsAreNotFlushed) {
  const ExactStats stats = compare_doubles({0, k_tiny, k_tiny}, k_tiny, {k_tiny, k_tiny, 4 * k_tiny});
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.e_max, 1.5);
  EXPECT_EQ(stats.worst_index, 2u);
  const ExactStats floats = compare(DType::float32, {0, 0x1p-149}, {0x1p-149}, std::vector<std::uint32_t>{1, 3}, 2);
  EXPECT_EQ(floats.e_max, 1);
  EXPECT_EQ(floats.unequal, 2u);
}

TEST_P(ExactTest, OverflowsAreNeverNan) {
  // d overflows; then d and the scale.
  for (const double rho : {1.0, k_largest}) {
    const ExactStats stats = compare_doubles({0, k_largest}, rho, {0, -k_largest});
    EXPECT_EQ(stats.nonfinite, 0u);
    EXPECT_EQ(stats.unequal, 1u);
    EXPECT_EQ(stats.e_max, k_inf);
    EXPECT_EQ(stats.e_rms, k_inf);
    EXPECT_EQ(stats.sum_sq_diff, k_inf);
    EXPECT_EQ(stats.worst_index, 1u);
  }
  // Only the scale: the error is not lost.
  const ExactStats stats = compare_doubles({1, k_largest}, k_largest, {1, 0});
  EXPECT_EQ(stats.e_max, 0.5);
  EXPECT_EQ(stats.worst_index, 1u);
  EXPECT_EQ(compare_floats({k_largest}, {0}).e_max, 1);
  EXPECT_EQ(compare<std::uint8_t>(DType::boolean, {k_largest}, {k_largest}, {1}, 1).e_max, 0.5);
  EXPECT_EQ(compare_doubles({k_largest}, k_largest, {k_largest}).unequal, 0u);
  // The quotient.
  EXPECT_EQ(compare_doubles({0}, k_tiny, {1e300}).e_max, k_inf);
  EXPECT_EQ(compare_doubles({0}, k_tiny, {1e300}).e_rms, k_inf);
}

TEST_P(ExactTest, AQuotientThatUnderflowsStillDiffers) {
  const ExactStats stats = compare_doubles({5, 0, 0}, 1e300, {5, k_tiny, 0});
  EXPECT_EQ(stats.unequal, 1u);
  EXPECT_EQ(stats.e_max, 0);
  EXPECT_EQ(stats.worst_index, 0u);
}

TEST_P(ExactTest, LowestOfEquals) {
  std::vector<double> exact(10'000, 1.0);
  std::vector<float> got(10'000, 1.0f);
  for (const std::size_t at : {9'999u, 4'000u, 5'000u, 3'999u}) got[at] = 3.0f;
  for (const std::uint64_t slice : {1u, 2u, 10u, 100u, 1000u, 10'000u}) {
    const ExactStats stats = compare(DType::float32, exact, std::vector<double>(10'000 / slice, 1.0), got, slice);
    EXPECT_EQ(stats.worst_index, 3'999u);
    EXPECT_EQ(stats.worst_slice, slice == 1000 ? 3 : 3'999 / slice) << slice;
  }
}

TEST_P(ExactTest, IntegersGoByUnequal) {
  const ExactStats stats =
      compare<std::int32_t>(DType::int32, {1, k_free, 3, INT32_MAX}, {1}, {1, 2, -3, INT32_MIN}, 4);
  EXPECT_EQ(stats.free, 1u);
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.e_max, 4294967295.0 / 2147483648.0);
  EXPECT_EQ(compare<std::int8_t>(DType::int8, {127}, {1}, {-128}, 1).sum_sq_diff, 255 * 255);
  EXPECT_EQ(compare<std::uint8_t>(DType::uint8, {0}, {1}, {255}, 1).e_max, 255);
  EXPECT_EQ(compare<std::int16_t>(DType::int16, {32767}, {1}, {-32768}, 1).e_rms, 65535);
  // No integer is what these expect.
  EXPECT_EQ(compare<std::int16_t>(DType::int16, {k_nan, k_inf}, {1}, {0, 32767}, 2).nonfinite, 2u);
}

TEST_P(ExactTest, Int64GoesByItsDouble) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const ExactStats stats =
      compare<std::int64_t>(DType::int64, {0x1p63, 0x1p63, 0}, {1}, {most, most - 1, -most - 1}, 3);
  EXPECT_EQ(stats.unequal, 1u) << "2^63 - 1 is 2^63 as a double";
  EXPECT_EQ(stats.e_max, 0x1p63);
  EXPECT_EQ(stats.worst_index, 2u);
}

TEST_P(ExactTest, AnyNonzeroByteIsTrue) {
  const ExactStats stats = compare<std::uint8_t>(DType::boolean, {0, 1, 1, 0, 1}, {1}, {0, 1, 0xFF, 2, 0}, 5);
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.e_max, 1);
  EXPECT_EQ(stats.worst_index, 3u);
  EXPECT_EQ(stats.worst_got, 1);
}

TEST_P(ExactTest, ComplexIsTwoRealElements) {
  // Slices may cut an element in two.
  const ExactStats stats =
      compare<float>(DType::complex64, {1, 2, 3, 4, 5, 6}, {1, 2}, {1, 2, 3, 9, 5, k_float_nan}, 3);
  EXPECT_EQ(stats.count, 6u);
  EXPECT_EQ(stats.unequal, 2u);
  EXPECT_EQ(stats.nonfinite, 1u);
  EXPECT_EQ(stats.worst_index, 5u);
  EXPECT_EQ(stats.e_max, 5.0 / 6);
  EXPECT_EQ(stats.worst_slice, 1u);
  EXPECT_EQ(compare<double>(DType::complex128, {1, k_nan}, {1}, {1, k_nan}, 2).nonfinite, 0u);
}

TEST_P(ExactTest, HalfPrecisionValues) {
  const std::vector<std::uint16_t> got = {0x3C00, 0x7BFF, 0x0001, 0x8400, 0x7C00, 0xFE01};
  EXPECT_EQ(compare(DType::float16, {1, 65504, 0x1p-24, -0x1p-14, k_inf, k_nan}, {1}, got, 6).unequal, 0u);
  EXPECT_EQ(
      compare(DType::bfloat16, {0x1p-7, 0x1.FEp120, 0x1p-133, -0x1p-119, 0x1p121, -0x1.02p125}, {1}, got, 6).unequal,
      0u);
}

TEST_P(ExactTest, PoisonIsNonfiniteInEveryFloatingType) {
  auto exact = allocate(8 * 4096);
  auto rho = upload(std::vector<double>{1});
  auto got = allocate(4096);
  ASSERT_TRUE(exact && rho && got);
  ASSERT_TRUE(device().fill(*got, 0xFF));
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::complex64}) {
    const auto stats = device().compare_exact(dtype, *exact, *rho, *got, 4096 / dtype_bytes(dtype), 4096);
    ASSERT_TRUE(stats);
    EXPECT_EQ(stats->nonfinite, stats->count) << dtype_name(dtype);
  }
}

TEST_P(ExactTest, OnlyTheFirstElementsCount) {
  const std::vector<double> exact = {1, 2, 3, 4, k_nan};
  auto e = upload(exact);
  auto r = upload(std::vector<double>{1, 1, -1});
  auto g = upload(std::vector<float>{1, 2, 3, 4, 0, 0, 0});
  ASSERT_TRUE(e && r && g);
  const auto stats = device().compare_exact(DType::float32, *e, *r, *g, 4, 2);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->count, 4u);
  EXPECT_EQ(stats->unequal, 0u);
}

TEST_P(ExactTest, ASliceMayBeLongerThanAllElements) {
  EXPECT_EQ(compare<float>(DType::float32, {0, 0}, {1}, {1, 1}, ~std::uint64_t{0}).e_rms, 1);
}

TEST_P(ExactTest, BoundsAreChecked) {
  const auto code = [&](DType dtype, std::size_t exact, std::size_t rho, std::size_t got_bytes, std::uint64_t count,
                        std::uint64_t slice_elements) -> std::string {
    auto e = upload(std::vector<double>(exact));
    auto r = upload(std::vector<double>(rho, 1.0));
    auto g = upload(std::vector<char>(got_bytes));
    const auto stats = device().compare_exact(dtype, *e, *r, *g, count, slice_elements);
    return stats ? "" : stats.error().code;
  };
  EXPECT_EQ(code(DType::float32, 10, 5, 40, 10, 2), "");
  EXPECT_EQ(code(DType::float32, 9, 5, 40, 10, 2), "device_range");
  EXPECT_EQ(code(DType::float32, 10, 4, 40, 10, 2), "device_range");
  EXPECT_EQ(code(DType::float32, 10, 5, 39, 10, 2), "device_range");
  EXPECT_EQ(code(DType::float32, 10, 5, 40, 10, 0), "device_range");
  EXPECT_EQ(code(DType::float32, 10, 5, 40, 10, 1), "device_range");
  EXPECT_EQ(code(DType::complex64, 10, 5, 40, 5, 2), "");
  EXPECT_EQ(code(DType::complex64, 9, 5, 40, 5, 2), "device_range");
  EXPECT_EQ(code(DType::complex64, 10, 4, 40, 5, 2), "device_range");
  EXPECT_EQ(code(DType::uint8, 10, 5, 40, ~std::uint64_t{0}, 2), "device_range");
  EXPECT_EQ(code(DType::complex128, 10, 5, 40, std::uint64_t{1} << 63, 2), "device_range");
}

TEST_P(ExactTest, ABadRhoIsTheCallersBug) {
  for (const double bad : {0.0, -0.0, -1.0, k_nan, k_inf, -k_inf}) {
    for (const std::uint64_t slice : {2u, 5'000u, 100'000u}) {
      std::vector<double> rho(3, 1.0);
      rho[1] = bad;
      const auto stats =
          try_compare(DType::float32, std::vector<double>(3 * slice), rho, std::vector<float>(3 * slice), slice);
      ASSERT_FALSE(stats) << bad;
      EXPECT_EQ(stats.error().fault, Fault::machine);
      EXPECT_EQ(stats.error().code, "device_range");
      EXPECT_NE(stats.error().message.find("slice 1"), std::string::npos) << stats.error().message;
    }
  }
  EXPECT_TRUE(try_compare(DType::float32, {0}, {k_tiny}, std::vector<float>{0}, 1));
}

}  // namespace
}  // namespace kbv::test
