// SPDX-License-Identifier: MIT
#include "report/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace kbv {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

TEST(Units, Times) {
  EXPECT_EQ(show_us(0), "0.00 us");
  EXPECT_EQ(show_us(4.4), "4.40 us");
  EXPECT_EQ(show_us(35.52), "35.5 us");
  EXPECT_EQ(show_us(347.4), "347 us");
  EXPECT_EQ(show_us(2817), "2.82 ms");
  EXPECT_EQ(show_us(1.2e6), "1.20 s");
  EXPECT_EQ(show_us(-1.26), "-1.26 us");
  EXPECT_EQ(show_us(k_nan), "-");
}

TEST(Units, Bytes) {
  EXPECT_EQ(show_bytes(0), "0 B");
  EXPECT_EQ(show_bytes(1023), "1023 B");
  EXPECT_EQ(show_bytes(1536), "1.50 KiB");
  EXPECT_EQ(show_bytes(16u << 20), "16.0 MiB");
  EXPECT_EQ(show_bytes(~std::uint64_t{0}), "16.0 EiB");
}

TEST(Units, Factors) {
  EXPECT_EQ(show_factor(1.024), "1.02x");
  EXPECT_EQ(show_factor(9.996), "10.0x");
  EXPECT_EQ(show_factor(123.4), "123x");
  EXPECT_EQ(show_factor(0.0432), "0.043x");
  EXPECT_EQ(show_factor(k_inf), "-");
}

TEST(Units, Ranges) {
  EXPECT_EQ(show_range(1, 1.03), "1.00 to 1.03");
  EXPECT_EQ(show_range(1.5, k_inf), "at least 1.50");
  EXPECT_EQ(show_range(k_nan, 1), "-");
  EXPECT_EQ(show_range(k_inf, k_inf), "-");
}

TEST(Units, Errors) {
  EXPECT_EQ(show_error(0), "0");
  EXPECT_EQ(show_error(3.14e-5), "3.1e-05");
  EXPECT_EQ(show_error(k_inf), "inf");
  EXPECT_EQ(show_error(k_nan), "nan");
}

}  // namespace
}  // namespace kbv
