// SPDX-License-Identifier: MIT
// Mutants: sources that differ from a right one in one small change, of a kind that people and models make by mistake.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kbv {

/// docs/mutation.md says what each holds.
enum class Family { index, bound, arithmetic, constant, sync, precision, init };
inline constexpr Family k_mutation_families[] = {Family::index, Family::bound,     Family::arithmetic, Family::constant,
                                        Family::sync,  Family::precision, Family::init};
const char* to_string(Family family);
std::optional<Family> family_named(std::string_view name);

/// One change of one candidate's file.
struct Mutant {
  Family family = Family::index;
  std::string rule;                ///< the mutation operator, in words
  std::string part;                ///< "kernel", "host", "C++": Code::part
  std::size_t begin = 0, end = 0;  ///< the bytes of the file that are replaced
  std::string replacement;
  int line = 0;                    ///< of the file, from 1
  std::string old_text, new_text;  ///< the whole lines that it touches, before and after, with single spaces
  int occurrence = 1;  ///< which of the places in the file at which this family makes old_text into new_text

  std::string apply(std::string_view file) const;
};

/// Every mutant of a candidate, in order of place; none equals the file, or another, but for layout and comments. A
/// file without CUDA or C++ gives none. A usage error if the file is larger than a candidate can sensibly be.
Result<std::vector<Mutant>> all_mutants(std::string_view file);

/// At most `count` of them, in the order in which they were chosen: families in turn, as given, in each the rule chosen
/// least so far, and of it the place that is farthest from those chosen. The same arguments always give the same.
std::vector<Mutant> choose_mutants(const std::vector<Mutant>& all, const std::vector<Family>& families,
                                   std::size_t count, std::uint64_t seed);

}  // namespace kbv
