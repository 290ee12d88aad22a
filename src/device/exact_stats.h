// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace kbv {

/// An element of the oracle with exactly these bits, a quiet NaN with a payload, is free: any value is right there.
/// Every other NaN means that a NaN is expected.
inline constexpr std::uint64_t k_free_bits = 0x7FF800000000F4EEull;

/// How far `got` is from a float64 oracle, slice by slice, in double arithmetic. d = got - r, where r is the oracle's
/// value; rho is a slice's scale, above 0 and finite. Complex counts as two real elements, and so do indices. bool: any
/// nonzero byte is 1. int64 goes by its value as a double, so that neighbours beyond 2^53 may count as equal.
///
/// A NaN agrees with a NaN, whatever its bits, and an infinity with itself: these elements, as those that are free or
/// nonfinite, stay out of e_max and of the sums. They count among the elements of their slice.
///
/// No result is NaN. Where d overflows, e_max, e_rms and sum_sq_diff are infinite; where only |r| + rho does, the
/// quotient is taken of halves. d^2 is 0 for |d| < 1e-162, and infinite above 1e154: there only e_max tells sizes.
///
/// Both backends give the same bits, but for e_rms and sum_sq_diff, which another order of summation rounds otherwise
/// (and worst_slice, where slices all but tie); each backend repeats its own exactly.
struct ExactStats {
  std::uint64_t count = 0;      ///< real elements (complex = two)
  std::uint64_t free = 0;       ///< elements marked as free
  std::uint64_t nonfinite = 0;  ///< elements whose class (NaN, +inf, -inf, finite) is not the oracle's
  std::uint64_t unequal = 0;    ///< values that differ from the oracle's at all: what integers go by. Includes the
                                ///< nonfinite, and no free ones
  double e_max = 0;             ///< max |d| / (|r| + rho of its slice)
  double e_rms = 0;             ///< max over slices of sqrt(sum d^2 / elements of the slice) / rho
  double sum_sq_diff = 0;       ///< sum d^2 over all slices
  /// The first nonfinite element if there is one, else the element that sets e_max (the lowest index of equals; element
  /// 0 where e_max is 0).
  std::uint64_t worst_index = 0;
  double worst_expected = 0;
  double worst_got = 0;
  std::uint64_t worst_slice = 0;  ///< the one that sets e_rms, the lowest of equals
};

}  // namespace kbv
