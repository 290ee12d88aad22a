// SPDX-License-Identifier: MIT
// compare_exact(), written as exact_stats.h tells it and without a thought for speed, for tests to compare with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compare_checks.h"
#include "compare_reference.h"
#include "device/exact_stats.h"

namespace kbv::test {

struct ExactReference {
  ExactStats stats;
  std::vector<double> slice_rms;
};

/// 0 finite, 1 NaN, 2 and 3 the infinities.
inline int class_of(double x) {
  if (std::isnan(x)) return 1;
  return std::isinf(x) ? (x > 0 ? 2 : 3) : 0;
}

inline double reference_quotient(double r, double got, double rho) {
  const double difference = std::fabs(got - r);
  const double scale = std::fabs(r) + rho;
  if (std::isinf(difference)) return difference;
  return std::isinf(scale) ? difference / 2 / (std::fabs(r) / 2 + rho / 2) : difference / scale;
}

inline ExactReference reference_exact(DType dtype, const std::vector<double>& exact, const std::vector<double>& rho,
                                      const unsigned char* got, std::uint64_t slice_elements) {
  DType real = dtype;
  if (dtype == DType::complex64) real = DType::float32;
  if (dtype == DType::complex128) real = DType::float64;
  ExactReference reference;
  ExactStats& stats = reference.stats;
  stats.count = exact.size();
  bool have_worst = false;
  for (std::uint64_t begin = 0, slice = 0; begin < exact.size(); begin += slice_elements, ++slice) {
    const std::uint64_t size = std::min<std::uint64_t>(slice_elements, exact.size() - begin);
    double sum = 0;
    for (std::uint64_t i = begin; i < begin + size; ++i) {
      const double r = exact[i];
      const double g = reference_value(real, got + i * dtype_bytes(real));
      const auto remember = [&] {
        have_worst = true;
        stats.worst_index = i;
        stats.worst_expected = r;
        stats.worst_got = g;
      };
      if (i == 0) remember(), have_worst = false;
      std::uint64_t bits = 0;
      std::memcpy(&bits, &r, sizeof bits);
      if (bits == 0x7FF800000000F4EEull) {
        ++stats.free;
      } else if (class_of(r) != class_of(g)) {
        ++stats.unequal;
        if (stats.nonfinite++ == 0) remember();
      } else if (class_of(r) == 0) {
        if (r != g) ++stats.unequal;
        sum += (g - r) * (g - r);
        const double quotient = reference_quotient(r, g, rho[slice]);
        if (quotient > stats.e_max) {
          stats.e_max = quotient;
          if (stats.nonfinite == 0) remember();
        }
      }
    }
    stats.sum_sq_diff += sum;
    reference.slice_rms.push_back(std::sqrt(sum / static_cast<double>(size)) / rho[slice]);
    stats.e_rms = std::max(stats.e_rms, reference.slice_rms.back());
  }
  return reference;
}

/// Everything but e_rms and the sum agrees exactly.
inline void expect_exact_agreement(const ExactStats& expected, const ExactStats& got) {
  EXPECT_EQ(expected.count, got.count);
  EXPECT_EQ(expected.free, got.free);
  EXPECT_EQ(expected.nonfinite, got.nonfinite);
  EXPECT_EQ(expected.unequal, got.unequal);
  EXPECT_EQ(expected.worst_index, got.worst_index);
  expect_same(expected.e_max, got.e_max, "e_max");
  expect_same(expected.worst_expected, got.worst_expected, "worst_expected");
  expect_same(expected.worst_got, got.worst_got, "worst_got");
  expect_close(expected.e_rms, got.e_rms, "e_rms");
  expect_close(expected.sum_sq_diff, got.sum_sq_diff, "sum_sq_diff");
}

/// Bit for bit.
inline void expect_identical(const ExactStats& expected, const ExactStats& got) {
  expect_exact_agreement(expected, got);
  expect_same(expected.e_rms, got.e_rms, "e_rms, bits");
  expect_same(expected.sum_sq_diff, got.sum_sq_diff, "sum_sq_diff, bits");
  EXPECT_EQ(expected.worst_slice, got.worst_slice);
}

inline void expect_as_reference(const ExactReference& reference, const ExactStats& got) {
  expect_exact_agreement(reference.stats, got);
  if (reference.slice_rms.empty()) return;
  // Slices that all but tie may change places.
  ASSERT_LT(got.worst_slice, reference.slice_rms.size());
  expect_close(reference.stats.e_rms, reference.slice_rms[got.worst_slice], "e_rms of worst_slice");
}

}  // namespace kbv::test
