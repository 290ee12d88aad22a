// SPDX-License-Identifier: MIT
// Text as a terminal shows it: UTF-8, counted in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbv {

/// Columns that printable text takes: wide characters two, combining ones none.
std::size_t display_width(std::string_view text);

/// `text` in at most `width` columns, with "..." in place of what was cut off its end.
std::string cut(std::string_view text, std::size_t width);

enum class Align { left, right };
/// `text` with spaces up to `width` columns.
std::string pad(std::string_view text, std::size_t width, Align align = Align::left);

/// Lines of at most `width` columns, broken at spaces, and inside a word that is longer than a line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// The lines of `text` without their newlines; a newline at the end makes no empty line.
std::vector<std::string> split_lines(std::string_view text);

}  // namespace kbv
