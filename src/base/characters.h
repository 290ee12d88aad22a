// SPDX-License-Identifier: MIT
// Ranges of Unicode characters, for tables of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kbv {

struct CharacterRange {
  std::uint32_t first, last;  ///< both within it
};

/// Whether any of the ranges has the character.
template <typename Ranges>
bool within(const Ranges& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](CharacterRange r) { return r.first <= code && code <= r.last; });
}

}  // namespace kbv
