// SPDX-License-Identifier: MIT
#include "cli/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace kbv {
namespace {

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<NumberRange> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return NumberRange{*first, *last};
}

/// Calls take() for each part between commas; false as soon as it does.
template <typename Take>
bool each_part(std::string_view text, Take take) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (!take(text.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

Result<std::vector<NumberRange>> parse_ranges(const std::string& text, const std::string& option) {
  std::vector<NumberRange> ranges;
  if (text.empty()) return ranges;
  const bool good = each_part(text, [&](std::string_view part) {
    const auto range = parse_range(part);
    if (range) ranges.push_back(*range);
    return range.has_value();
  });
  if (!good)
    return fail(Fault::usage, "bad_selection",
                fmt::format("{}: {}: numbers and ranges such as 0,2-4 are needed", option, text));
  return ranges;
}

Result<ProblemSelection> ProblemSelection::parse(const std::string& text) {
  ProblemSelection selection;
  if (text.empty()) return selection;
  const bool good = each_part(text, [&](std::string_view part) {
    const auto slash = part.find('/');
    const auto level = parse_number(part.substr(0, slash));
    const auto range =
        slash == std::string_view::npos ? std::optional(NumberRange{}) : parse_range(part.substr(slash + 1));
    if (level && range) selection.parts_.push_back({*level, *range});
    return level && range;
  });
  if (!good)
    return fail(Fault::usage, "bad_selection",
                fmt::format("--only: {}: levels and problems such as 1,2/7,3/1-10 are needed", text));
  return selection;
}

bool ProblemSelection::contains(int level, int number) const {
  return parts_.empty() || std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
           return part.level == level && part.numbers.contains(number);
         });
}

bool contains(const std::vector<NumberRange>& ranges, int number) {
  return ranges.empty() ||
         std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) { return range.contains(number); });
}

}  // namespace kbv
