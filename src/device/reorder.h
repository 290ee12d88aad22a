// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace kbv {

/// The same elements in another order of memory: element i of the result, counted as it lies, is the one at the sum of
/// index[d] * from_stride[d], where index is i in base extent[0], extent[1]..., the last one fastest. Laid out the same for
/// host and device.
struct Reorder {
  static constexpr unsigned k_max_dims = 8;
  unsigned dims = 0;
  std::uint64_t extent[k_max_dims] = {};
  std::uint64_t from_stride[k_max_dims] = {};  ///< in elements
};

}  // namespace kbv
