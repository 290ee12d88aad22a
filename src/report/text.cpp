// SPDX-License-Identifier: MIT
#include "report/text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/characters.h"
#include "base/printable.h"

namespace kbv {
namespace {

using Range = CharacterRange;

constexpr std::array k_zero_width{Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                  Range{0x0610, 0x061A}, Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF},
                                  Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D}, Range{0x20D0, 0x20FF},
                                  Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF},
                                  Range{0xE0000, 0xE01EF}};
constexpr std::array k_double_width{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
                                    Range{0xA960, 0xA97C},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
                                    Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
                                    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF},
                                    Range{0x20000, 0x3FFFD}};

std::size_t columns(std::uint32_t code) {
  if (code < 0x300) return 1;
  return within(k_zero_width, code) ? 0 : within(k_double_width, code) ? 2 : 1;
}

/// The bytes of the longest beginning of `text` that takes at most `width` columns.
std::size_t fitting_bytes(std::string_view text, std::size_t width) {
  std::size_t at = 0, used = 0;
  while (at < text.size()) {
    const Character c = first_character(text.substr(at));
    if (used + columns(c.code) > width) break;
    used += columns(c.code);
    at += c.bytes;
  }
  return at;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    width += columns(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (fitting_bytes(text, width) == text.size()) return std::string(text);
  const std::size_t dots = std::min<std::size_t>(width, 3);
  return std::string(text.substr(0, fitting_bytes(text, width - dots))) + std::string(dots, '.');
}

std::string pad(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string spaces(width > used ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + spaces : spaces + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 2);  // a wide character must fit, or nothing ends
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = fitting_bytes(text, width);
    if (end < text.size() && text[end] != ' ') {
      const std::size_t space = text.substr(0, end).rfind(' ');
      if (space != std::string_view::npos && text.find_first_not_of(' ') < space) end = space;
    }
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    lines.emplace_back(line);
  }
  return lines;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace kbv
