// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace kbv {

/// How far `got` is from `expected`, over all elements, in double arithmetic; complex counts as two real elements, and
/// so do indices. Elements where exactly one side is NaN or infinite, or both are but differ, are `nonfinite` and left
/// out of the sums and maxima. (Both NaN is nonfinite as well: torch.allclose has equal_nan off. Equal infinities
/// agree, and are left out of the sums too.) bool: any nonzero byte is true. Both backends give the same bits, but for
/// the sums, which another order of summation rounds otherwise; each backend repeats its own exactly.
struct CompareStats {
  std::uint64_t count = 0;      ///< real elements compared
  std::uint64_t nonfinite = 0;  ///< see above; any makes the comparison fail
  std::uint64_t unequal = 0;    ///< elements whose values differ at all (exact test, also for int64 beyond 2^53, where
                                ///< the difference in doubles may be 0); includes the nonfinite
  double max_abs = 0;           ///< max |got - expected|; infinite where a difference of finite float64 overflows
  double sum_abs = 0;           ///< sum |got - expected|
  double sum_sq_diff = 0;       ///< sum (got - expected)^2
  double sum_sq_expected = 0;   ///< sum expected^2
  /// max |got - expected| / (1 + |expected|): torch.allclose(atol=t, rtol=t) holds exactly when this is <= t and
  /// nonfinite is 0, so one number answers for every tolerance.
  double tau = 0;
  /// The first nonfinite element if there is one, else the element that sets tau (the lowest index of equals; element 0
  /// where tau is 0).
  std::uint64_t worst_index = 0;
  double worst_expected = 0;
  double worst_got = 0;
};

}  // namespace kbv
