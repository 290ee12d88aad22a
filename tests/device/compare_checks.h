// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "device/compare_stats.h"

namespace kbv::test {

/// Equal, infinite or not, or both NaN.
inline void expect_same(double expected, double got, const char* what) {
  EXPECT_TRUE(expected == got || (std::isnan(expected) && std::isnan(got))) << what << ": " << expected << ", " << got;
}

/// Equal but for what another order of summation changes.
inline void expect_close(double expected, double got, const char* what) {
  if (expected == got || (std::isnan(expected) && std::isnan(got))) return;
  EXPECT_NEAR(expected, got, 1e-11 * std::fabs(expected)) << what;
}

/// Everything but the sums agrees exactly.
inline void expect_agreement(const CompareStats& expected, const CompareStats& got) {
  EXPECT_EQ(expected.count, got.count);
  EXPECT_EQ(expected.nonfinite, got.nonfinite);
  EXPECT_EQ(expected.unequal, got.unequal);
  EXPECT_EQ(expected.worst_index, got.worst_index);
  expect_same(expected.max_abs, got.max_abs, "max_abs");
  expect_same(expected.tau, got.tau, "tau");
  expect_same(expected.worst_expected, got.worst_expected, "worst_expected");
  expect_same(expected.worst_got, got.worst_got, "worst_got");
  expect_close(expected.sum_abs, got.sum_abs, "sum_abs");
  expect_close(expected.sum_sq_diff, got.sum_sq_diff, "sum_sq_diff");
  expect_close(expected.sum_sq_expected, got.sum_sq_expected, "sum_sq_expected");
}

}  // namespace kbv::test
