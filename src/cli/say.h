// SPDX-License-Identifier: MIT
// The one way by which a verb says something: tests/e2e/sinks_test.sh finds others. What stands in the format is ours;
// every text that is put into it may be a stranger's, and goes through printable().
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/printable.h"

namespace kbv {

namespace say_detail {

inline std::string shown(std::string_view text) { return printable(text); }
template <typename Number>
  requires std::is_arithmetic_v<Number>
Number shown(Number number) {
  return number;
}

/// What becomes of an argument. What is neither text nor number, such as a list or a view of texts, does not compile:
/// nothing gets past printable().
template <typename T>
using Shown = decltype(shown(std::declval<const T&>()));

}  // namespace say_detail

/// Formats as fmt::print() does.
template <typename... T>
void say(std::FILE* out, fmt::format_string<say_detail::Shown<T>...> format, const T&... values) {
  fmt::print(out, format, say_detail::shown(values)...);
}

/// Text of several lines, such as a candidate's source: its newlines stay.
inline void say_lines(std::FILE* out, std::string_view text) { fmt::print(out, "{}", printable(text, true)); }

/// A whole document of a formatter that escapes in its own way: a report, a leaderboard, JSON.
inline void say_page(std::FILE* out, std::string_view page) { std::fwrite(page.data(), 1, page.size(), out); }

}  // namespace kbv
