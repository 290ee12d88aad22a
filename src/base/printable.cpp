// SPDX-License-Identifier: MIT
#include "base/printable.h"

#include <fmt/format.h>

#include <array>

#include "base/characters.h"

namespace kbv {
namespace {

using Range = CharacterRange;

// Characters that change how others are shown: control characters (C0, DEL, C1), line and paragraph separators, and
// those that set the writing direction.
constexpr std::array k_controls{Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0x061C, 0x061C},
                                Range{0x200E, 0x200F}, Range{0x2028, 0x202E}, Range{0x2066, 0x2069}};

// Characters of no width of their own, by which two texts can look the same and differ. Combining marks are not among
// them.
constexpr std::array k_invisible{Range{0x00AD, 0x00AD}, Range{0x115F, 0x1160},  Range{0x180E, 0x180E},
                                 Range{0x200B, 0x200F}, Range{0x2060, 0x206F},  Range{0x3164, 0x3164},
                                 Range{0xFE00, 0xFE0F}, Range{0xFEFF, 0xFEFF},  Range{0xFFA0, 0xFFA0},
                                 Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE0FFF}};

std::string escape(const Character& c) {
  if (!c.valid) return fmt::format("\\x{:02x}", c.code);
  switch (c.code) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return c.code < 0x80 ? fmt::format("\\x{:02x}", c.code) : fmt::format("\\u{:04x}", c.code);
  }
}

/// Whether it shows itself, and changes nothing of what stands around it.
bool is_plain(const Character& c) { return c.valid && !within(k_controls, c.code) && !within(k_invisible, c.code); }

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {lead, 1, false};
  std::uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[bytes] || surrogate || code > 0x10FFFF) return {lead, 1, false};
  return {code, bytes, true};
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string shown;
  while (!text.empty()) {
    const Character c = first_character(text);
    const bool keep = is_plain(c) || (c.code == '\n' && keep_lines);
    shown += keep ? std::string(text.substr(0, c.bytes)) : escape(c);
    text.remove_prefix(c.bytes);
  }
  return shown;
}

std::string visible(std::string_view text, std::size_t limit_bytes) {
  std::string shown;
  std::size_t at = 0;
  while (at < text.size() && at < limit_bytes) {
    const Character c = first_character(text.substr(at));
    if (at + c.bytes > limit_bytes) break;
    const bool keep = is_plain(c) || c.code == '\n' || c.code == '\t';
    if (keep)
      shown += text.substr(at, c.bytes);
    else
      shown += escape(c);
    at += c.bytes;
  }
  return shown;
}

std::string file_name_of(std::string_view text) {
  constexpr std::size_t k_name_bytes = 200;
  constexpr std::string_view k_separators = "/\\:*?\"<>|";  // of any system that the file may be unpacked on
  std::string name;
  while (!text.empty()) {
    const Character c = first_character(text);
    if (name.size() + c.bytes > k_name_bytes) break;
    if (!is_plain(c) || (c.code < 0x80 && k_separators.find(static_cast<char>(c.code)) != std::string_view::npos))
      name += '_';
    else
      name += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  if (name.empty() || name[0] == '.' || name[0] == '-' || name[0] == ' ') name = "_" + name;
  if (name.back() == '.' || name.back() == ' ') name += '_';
  return name;
}

}  // namespace kbv
