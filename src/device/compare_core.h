// SPDX-License-Identifier: MIT
// The comparison's rule for one element, and the merge of partial results. Compiled twice, for the host and by nvcc
// for the device, so that both backends count and rank alike: everything but the three sums is exact and independent
// of the order in which elements are visited. Plain C++ without library calls, for that reason.
//
// `got` is whatever bytes a candidate chose to write: every bit pattern must be handled.
#pragma once

#if defined(__CUDACC__)
#define KBV_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define KBV_HOST_DEVICE inline
#endif

namespace kbv::compare_core {

using Index = unsigned long long;
inline constexpr Index k_none = ~0ull;
inline constexpr double k_double_max = 1.7976931348623157e308;

/// What one thread, block or chunk saw. Layout is the same on host and device.
struct Partial {
  Index nonfinite;
  Index unequal;
  Index first_nonfinite;  ///< lowest index, or k_none
  Index tau_index;        ///< lowest index among those that reach tau; k_none while tau is 0
  double max_abs;
  double sum_abs;
  double sum_sq_diff;
  double sum_sq_expected;
  double tau;
};
static_assert(sizeof(Partial) == 72);

KBV_HOST_DEVICE Partial empty_partial() { return {0, 0, k_none, k_none, 0, 0, 0, 0, 0}; }

/// Associative, and commutative but for the rounding of sums.
KBV_HOST_DEVICE void merge(Partial& into, const Partial& other) {
  into.nonfinite += other.nonfinite;
  into.unequal += other.unequal;
  if (other.first_nonfinite < into.first_nonfinite) into.first_nonfinite = other.first_nonfinite;
  if (other.max_abs > into.max_abs) into.max_abs = other.max_abs;
  into.sum_abs += other.sum_abs;
  into.sum_sq_diff += other.sum_sq_diff;
  into.sum_sq_expected += other.sum_sq_expected;
  if (other.tau > into.tau || (other.tau == into.tau && other.tau_index < into.tau_index)) {
    into.tau = other.tau;
    into.tau_index = other.tau_index;
  }
}

KBV_HOST_DEVICE double magnitude(double x) { return __builtin_fabs(x); }

/// IEEE half precision to single, exactly; NaN stays NaN.
KBV_HOST_DEVICE float float_from_half_bits(unsigned short bits) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  const unsigned sign = (bits & 0x8000u) << 16;
  const unsigned exponent = (bits >> 10) & 0x1Fu;
  const unsigned fraction = bits & 0x3FFu;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24 is exact in single precision
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  const unsigned wide = exponent == 0x1F ? 0xFFu : exponent + (127 - 15);
  return __builtin_bit_cast(float, sign | (wide << 23) | (fraction << 13));
#endif
}

KBV_HOST_DEVICE float float_from_bfloat16_bits(unsigned short bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
#else
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
#endif
}

// One type for each kind of element: how it lies in memory, its value as a double, and what else the rule must know.
// `wide` says that a difference of finite values can overflow a double; `exact` that values survive the conversion.
struct Float64 {
  using Stored = double;
  static constexpr bool floating = true, wide = true, exact = true;
  KBV_HOST_DEVICE static double value(Stored x) { return x; }
};
struct Float32 {
  using Stored = float;
  static constexpr bool floating = true, wide = false, exact = true;
  KBV_HOST_DEVICE static double value(Stored x) { return static_cast<double>(x); }
};
struct Float16 {
  using Stored = unsigned short;
  static constexpr bool floating = true, wide = false, exact = true;
  KBV_HOST_DEVICE static double value(Stored x) { return static_cast<double>(float_from_half_bits(x)); }
};
struct BFloat16 {
  using Stored = unsigned short;
  static constexpr bool floating = true, wide = false, exact = true;
  KBV_HOST_DEVICE static double value(Stored x) { return static_cast<double>(float_from_bfloat16_bits(x)); }
};
template <typename T>
struct Integer {
  using Stored = T;
  static constexpr bool floating = false, wide = false, exact = sizeof(T) < 8;
  KBV_HOST_DEVICE static double value(Stored x) { return static_cast<double>(x); }
};
using Int64 = Integer<long long>;
using Int32 = Integer<int>;
using Int16 = Integer<short>;
using Int8 = Integer<signed char>;
using UInt8 = Integer<unsigned char>;
/// Any nonzero byte is true, as PyTorch reads it on most paths; a candidate can write bytes that no bool should have.
struct Boolean {
  using Stored = unsigned char;
  static constexpr bool floating = false, wide = false, exact = true;
  KBV_HOST_DEVICE static double value(Stored x) { return x != 0 ? 1.0 : 0.0; }
};

/// Feeds elements, in ascending order of index, into a partial result.
template <typename Element>
struct Accumulator {
  using Stored = typename Element::Stored;

  Partial partial = empty_partial();
  double tau_floor = 0;  ///< a little below partial.tau; see below

  KBV_HOST_DEVICE void add(Stored expected_bits, Stored got_bits, Index index) {
    const double expected = Element::value(expected_bits);
    const double got = Element::value(got_bits);
    const double difference = magnitude(got - expected);
    if constexpr (Element::floating) {
      // One test for the common case: the difference is finite only if both sides are.
      if (!(difference <= k_double_max) && !admit_unusual(expected, got, index)) return;
    }
    if constexpr (Element::exact) {
      // Gradual underflow makes the difference 0 only for equal values.
      partial.unequal += difference != 0 ? 1 : 0;
    } else {
      partial.unequal += expected_bits != got_bits ? 1 : 0;
    }
    if (difference > partial.max_abs) partial.max_abs = difference;
    partial.sum_abs += difference;
    partial.sum_sq_diff += difference * difference;
    partial.sum_sq_expected += expected * expected;
    // tau is the maximum of the *rounded* quotients, so that it does not depend on the order. The division is needed
    // only where the quotient can exceed tau, and difference > tau_floor * scale holds wherever it does: tau_floor is
    // tau less 4 units of rounding, which covers the roundings of both products here (in the subnormal range it is tau
    // itself, and scale >= 1 gives the room). Equal quotients later on do not count: the lowest index wins.
    const double scale = 1.0 + magnitude(expected);
    if (difference > tau_floor * scale || (Element::wide && difference > k_double_max)) {
      const double quotient = difference / scale;
      if (quotient > partial.tau) {
        partial.tau = quotient;
        partial.tau_index = index;
        tau_floor = quotient * (1.0 - 0x1p-51);
      }
    }
  }

 private:
  /// For a difference that is NaN or infinite. True where it is an honest overflow of a difference of finite values.
  KBV_HOST_DEVICE bool admit_unusual(double expected, double got, Index index) {
    if (Element::wide && magnitude(expected) <= k_double_max && magnitude(got) <= k_double_max) return true;
    if (expected == got) return false;  // the same infinity: agrees, and stays out of the sums
    ++partial.nonfinite;
    ++partial.unequal;
    if (index < partial.first_nonfinite) partial.first_nonfinite = index;
    return false;
  }
};

}  // namespace kbv::compare_core
