// SPDX-License-Identifier: MIT
// Where an element of a reordered tensor comes from. Compiled twice, as compare_core.h is and for the same reason.
#pragma once

#include "compare_core.h"
#include "reorder.h"

namespace kbv::reorder_core {

using compare_core::Index;

KBV_HOST_DEVICE Index source_of(const Reorder& plan, Index at) {
  Index source = 0;
  for (unsigned d = plan.dims; d-- > 0;) {
    source += at % plan.extent[d] * plan.from_stride[d];
    at /= plan.extent[d];
  }
  return source;
}

/// Elements are copied as bits, whatever their type.
struct Bits128 {
  unsigned long long low, high;
};

}  // namespace kbv::reorder_core
