// SPDX-License-Identifier: MIT
// compare_exact()'s rule for one element, how slices are cut into pieces of work, and the merge of partial results.
// Compiled twice, as compare_core.h is and for the same reason.
//
// `got` is whatever bytes a candidate chose to write: every bit pattern must be handled.
#pragma once

#include "compare_core.h"
#include "exact_stats.h"

namespace kbv::exact_core {

using compare_core::Index;
using compare_core::k_double_max;
using compare_core::k_none;
using compare_core::magnitude;

/// What one thread, block or chunk saw. Layout is the same on host and device.
struct Partial {
  Index free;
  Index nonfinite;
  Index unequal;
  Index first_nonfinite;  ///< lowest index, or k_none
  Index e_index;          ///< lowest index among those that reach e_max; k_none while e_max is 0
  Index rms_slice;        ///< lowest slice among those that reach e_rms; k_none where no slice is complete
  Index bad_slice;        ///< the first whose rho is not positive and finite, or k_none
  double e_max;
  double e_rms;
  double sum_sq_diff;
};
static_assert(sizeof(Partial) == 80);

KBV_HOST_DEVICE Partial empty_partial() { return {0, 0, 0, k_none, k_none, k_none, k_none, 0, 0, 0}; }

KBV_HOST_DEVICE void raise(double& maximum, Index& at, double value, Index index) {
  if (value > maximum || (value == maximum && index < at)) {
    maximum = value;
    at = index;
  }
}

KBV_HOST_DEVICE void lower(Index& lowest, Index index) {
  if (index < lowest) lowest = index;
}

/// Associative, and commutative but for the rounding of the sum.
KBV_HOST_DEVICE void merge(Partial& into, const Partial& other) {
  into.free += other.free;
  into.nonfinite += other.nonfinite;
  into.unequal += other.unequal;
  lower(into.first_nonfinite, other.first_nonfinite);
  lower(into.bad_slice, other.bad_slice);
  raise(into.e_max, into.e_index, other.e_max, other.e_index);
  raise(into.e_rms, into.rms_slice, other.e_rms, other.rms_slice);
  into.sum_sq_diff += other.sum_sq_diff;
}

/// How the elements are cut: each slice into the same number of parts, all but its last of the same size. An item of
/// work is one part of one slice; items are numbered in the elements' order.
struct Split {
  Index elements;
  Index slice_elements;  ///< the last slice may have fewer
  Index slices;
  Index part_elements;
  Index parts;  ///< of a slice
};

struct Item {
  Index slice;
  Index slice_size;
  Index begin, end;  ///< in the elements; equal where the last, shorter slice has nothing left for this part
};

KBV_HOST_DEVICE Index lesser(Index a, Index b) { return a < b ? a : b; }

KBV_HOST_DEVICE Item item_at(const Split& split, Index item) {
  const Index slice = split.parts == 1 ? item : item / split.parts;
  const Index part = item - slice * split.parts;
  const Index slice_begin = slice * split.slice_elements;
  const Index slice_end = lesser(slice_begin + split.slice_elements, split.elements);
  const Index begin = lesser(slice_begin + part * split.part_elements, slice_end);
  return {slice, slice_end - slice_begin, begin, lesser(begin + split.part_elements, slice_end)};
}

KBV_HOST_DEVICE double rms_error(double sum_sq, Index elements, double rho) {
  const double mean = sum_sq / static_cast<double>(elements);
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(mean) / rho;
#else
  return __builtin_sqrt(mean) / rho;
#endif
}

KBV_HOST_DEVICE bool is_free(double expected) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned long long>(__double_as_longlong(expected)) == k_free_bits;
#else
  return __builtin_bit_cast(unsigned long long, expected) == k_free_bits;
#endif
}

/// Feeds items, and each one's elements, in ascending order into a partial result, which must begin empty. It is the
/// caller's, so that a kernel need not keep all of it in registers.
template <typename Element>
struct Accumulator {
  using Stored = typename Element::Stored;

  Partial& partial;
  double rho;
  double e_max;  ///< as in `partial`
  // Of this item:
  double sum_sq;
  Index unequal;

  KBV_HOST_DEVICE explicit Accumulator(Partial& into) : partial(into), rho(1), e_max(0), sum_sq(0), unequal(0) {}

  KBV_HOST_DEVICE void begin(Index slice, double slice_rho) {
    rho = slice_rho;
    sum_sq = 0;
    unequal = 0;
    if (!(rho > 0 && rho <= k_double_max)) lower(partial.bad_slice, slice);
  }

  KBV_HOST_DEVICE void end() {
    partial.unequal += unequal;
    partial.sum_sq_diff += sum_sq;
  }

  /// All that most elements need. Where it returns false, look() must follow, before an element of higher index is
  /// looked at. (Apart, since on the device this is unrolled and look() is not.) Two zeros leave everything as it is.
  KBV_HOST_DEVICE bool add(double expected, Stored got_bits) {
    const double difference = magnitude(Element::value(got_bits) - expected);
    const double scale = magnitude(expected) + rho;
    // Both are finite only if all that went into them is.
    const bool usual = difference <= k_double_max && scale <= k_double_max;
    const double counted = usual ? difference : 0;
    const bool differs = counted != 0;  // gradual underflow: 0 only for equal values
    unequal += differs ? 1 : 0;
    sum_sq += counted * counted;
    // e_max is the maximum of the *rounded* quotients, so that it does not depend on the order. The division is needed
    // only where the quotient can exceed it. Rounding keeps order: a rounded quotient above e_max is of a difference
    // above e_max * scale, hence not below that product's rounding.
    const bool below = counted < e_max * scale;
    return usual & (below | !differs);
  }

  KBV_HOST_DEVICE void look(double expected, Stored got_bits, Index index) {
    const double got = Element::value(got_bits);
    const double difference = magnitude(got - expected);
    const double scale = magnitude(expected) + rho;
    if (difference <= k_double_max && scale <= k_double_max) {
      take_quotient(difference / scale, index);
    } else if (is_free(expected)) {
      ++partial.free;
    } else if (magnitude(expected) <= k_double_max && magnitude(got) <= k_double_max) {  // an honest overflow
      unequal += difference != 0 ? 1 : 0;
      sum_sq += difference * difference;
      const double half_scale = 0.5 * magnitude(expected) + 0.5 * rho;
      take_quotient(difference <= k_double_max ? 0.5 * difference / half_scale : difference, index);
    } else if (expected != got && (expected == expected || got == got)) {  // not of one class
      ++partial.nonfinite;
      ++unequal;
      lower(partial.first_nonfinite, index);
    }
  }

 private:
  /// Equal quotients later on do not count: the lowest index wins.
  KBV_HOST_DEVICE void take_quotient(double quotient, Index index) {
    if (quotient > e_max) {
      e_max = quotient;
      partial.e_max = quotient;
      partial.e_index = index;
    }
  }
};

}  // namespace kbv::exact_core
