// SPDX-License-Identifier: MIT
// Text of strangers, made harmless: for whoever reads it, and as the name of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kbv {

/// `text` with control characters, what has no width (by which two names look the same), and bytes that are not UTF-8,
/// as visible escapes; newlines stay if `keep_lines`.
std::string printable(std::string_view text, bool keep_lines = false);

/// The same for a page that shows programs: newlines and tabs stay. At most `limit_bytes` of `text` are looked at, and
/// never half a character; the rest is left out, silently.
std::string visible(std::string_view text, std::size_t limit_bytes = ~std::size_t{0});

/// The name of a file or folder out of any text, on any system: one part of a path, not hidden, no option of a command,
/// at most 202 bytes. Two texts may get the same: who writes files looks whether one is there.
std::string file_name_of(std::string_view text);

struct Character {
  std::uint32_t code = 0;  ///< of a byte that is not valid, the byte
  std::size_t bytes = 1;
  bool valid = false;
};

/// The UTF-8 character at the beginning of `text`, which is not empty. Overlong forms, surrogates and what lies beyond
/// U+10FFFF are not valid; an invalid character is one byte.
Character first_character(std::string_view text);

}  // namespace kbv
