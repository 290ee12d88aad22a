// SPDX-License-Identifier: MIT
// Which part of a campaign: "--samples 0,2-4", "--only 1,2/7,3/1-10".
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/result.h"

namespace kbv {

struct NumberRange {
  int first = 0, last = std::numeric_limits<int>::max();
  bool contains(int number) const { return first <= number && number <= last; }
};

/// Numbers and ranges with commas between them. `option` names it in errors.
Result<std::vector<NumberRange>> parse_ranges(const std::string& text, const std::string& option);

/// LEVEL, LEVEL/NUMBER or LEVEL/FIRST-LAST, with commas between them.
class ProblemSelection {
 public:
  static Result<ProblemSelection> parse(const std::string& text);
  bool contains(int level, int number) const;  ///< everything, if nothing was given

 private:
  struct Part {
    int level;
    NumberRange numbers;
  };
  std::vector<Part> parts_;
};

bool contains(const std::vector<NumberRange>& ranges, int number);  ///< true of no ranges at all

}  // namespace kbv
