// SPDX-License-Identifier: MIT
// The comparison, written as compare_stats.h tells it and without a thought for speed, for tests to compare with.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "device/compare_stats.h"
#include "device/dtype.h"

namespace kbv::test {

inline double small_float(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1));
  const double sign = (bits >> (exponent_bits + fraction_bits)) & 1u ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + std::ldexp(1.0, fraction_bits), exponent - bias - fraction_bits);
}

template <typename T>
T load(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline double reference_value(DType dtype, const unsigned char* bytes) {
  switch (dtype) {
    case DType::float64:
      return load<double>(bytes);
    case DType::float32:
      return static_cast<double>(load<float>(bytes));
    case DType::float16:
      return small_float(load<std::uint16_t>(bytes), 5, 10);
    case DType::bfloat16:
      return small_float(load<std::uint16_t>(bytes), 8, 7);
    case DType::int64:
      return static_cast<double>(load<std::int64_t>(bytes));
    case DType::int32:
      return load<std::int32_t>(bytes);
    case DType::int16:
      return load<std::int16_t>(bytes);
    case DType::int8:
      return load<std::int8_t>(bytes);
    case DType::uint8:
      return *bytes;
    case DType::boolean:
      return *bytes != 0 ? 1 : 0;
    case DType::complex64:
    case DType::complex128:
      break;
  }
  return 0;
}

inline CompareStats reference_compare(DType dtype, const unsigned char* expected, const unsigned char* got,
                                      std::uint64_t count) {
  DType real = dtype;
  if (dtype == DType::complex64) real = DType::float32;
  if (dtype == DType::complex128) real = DType::float64;
  const std::uint64_t size = dtype_bytes(real);
  CompareStats stats;
  stats.count = count * (dtype_bytes(dtype) / size);
  bool have_worst = false;
  for (std::uint64_t i = 0; i < stats.count; ++i) {
    const double e = reference_value(real, expected + i * size);
    const double g = reference_value(real, got + i * size);
    const bool same =
        real == DType::int64 ? load<std::int64_t>(expected + i * size) == load<std::int64_t>(got + i * size) : e == g;
    if (!same) ++stats.unequal;
    const auto remember = [&] {
      have_worst = true;
      stats.worst_index = i;
      stats.worst_expected = e;
      stats.worst_got = g;
    };
    if (!std::isfinite(e) || !std::isfinite(g)) {
      if (!same && stats.nonfinite++ == 0) remember();
      if (same && !have_worst) remember();
      continue;
    }
    const double difference = std::fabs(g - e);
    const double quotient = difference / (1 + std::fabs(e));
    stats.max_abs = std::fmax(stats.max_abs, difference);
    stats.sum_abs += difference;
    stats.sum_sq_diff += difference * difference;
    stats.sum_sq_expected += e * e;
    if (stats.nonfinite == 0 && (!have_worst || quotient > stats.tau)) remember();
    stats.tau = std::fmax(stats.tau, quotient);
  }
  return stats;
}

}  // namespace kbv::test
