// SPDX-License-Identifier: MIT
// CUDA and C++ source as tokens: enough to change one of them, and to tell whether two sources differ in more than
// layout.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kbv {

enum class TokenKind {
  name,    ///< an identifier or a keyword
  number,  ///< a literal such as 0x1fu, 1'000, 1e-5f
  text,    ///< a string or a character, with its quotes; never changed
  /// The longest that fits, but for a right shift, which is two: each may close a template. "<<<" and ">>>" are CUDA's
  /// launch brackets.
  punctuator,
};

struct Token {
  TokenKind kind = TokenKind::punctuator;
  std::size_t begin = 0, end = 0;  ///< offsets [bytes] into the source
};

inline constexpr std::size_t k_max_tokens = 200'000;

/// Comments and preprocessor lines (with what continues them) give no token. What is not C++ at all (an unknown byte, a
/// string that does not end in its line) becomes a token of one byte or of the rest of the line; nothing is refused but
/// more than k_max_tokens, which is a usage error.
Result<std::vector<Token>> tokenise(std::string_view source);

/// The tokens' texts, each on a line: equal if two sources differ in layout and comments only.
std::string normalised(std::string_view source, const std::vector<Token>& tokens);

}  // namespace kbv
