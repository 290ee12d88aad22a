// SPDX-License-Identifier: MIT
// The rules on CUDA, C++ and PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "look/labels.h"

namespace kbv {

/// From `offset` on (to the next one), a byte of the text stands in the candidate's file at this line and column (from
/// 1); a newline in the text begins the next line, at column 1.
struct TextPlace {
  std::uint64_t offset = 0;
  std::int64_t line = 1, column = 1;
};

/// A string of the candidate that looks like source of a compiled language.
struct SourceText {
  std::string text;
  std::vector<TextPlace> places;  ///< in order of offsets; none: line 1, column 1
};

struct LinePlace {
  std::int64_t line = 1, column = 1;
};

/// Where bytes of a text stand in the file; the text must outlive it.
class TextPlaces {
 public:
  explicit TextPlaces(const SourceText& source);
  LinePlace at(std::size_t offset) const;

 private:
  const SourceText& source_;
  std::vector<std::size_t> newlines_;
};

/// False if the text has more tokens than k_max_look_tokens: the rest was not looked at.
bool look_at_cuda(const SourceText& source, LabelCollector& labels);

}  // namespace kbv
