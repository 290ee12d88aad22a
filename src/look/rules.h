// SPDX-License-Identifier: MIT
// What the static look can find: the one table of its rules. look.py and the rules on CUDA text name them by their id;
// docs/static-look.md shows the same table to people (a test holds both together).
#pragma once

#include <span>
#include <string_view>

namespace kbv {

struct LookRule {
  std::string_view id;     ///< stable: it is in observations
  std::string_view group;  ///< "time", "work", "precision", "results", "patches", "surroundings", "native"
  std::string_view words;  ///< what the source does, for a person: "uses a stream other than the current one"
  std::string_view why;    ///< why that is worth a look, in one line
};

/// All of them, group by group, in the order in which a person reads them.
std::span<const LookRule> look_rules();

/// Null if no rule has that id. What it points to lives as long as the program.
const LookRule* find_look_rule(std::string_view id);

}  // namespace kbv
