// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace kbv {

/// What we know of one of KernelBench's problem files, by its bytes. known_problems.toml says what each field means.
struct KnownProblem {
  std::string sha256;
  int level = 0;
  int number = 0;
  std::string name;                  ///< its file's, without ".py": "19_ReLU"
  std::vector<std::string> sets;     ///< "kernelbench", "verified"
  std::vector<std::string> domains;  ///< one for each tensor of get_inputs(); none: the guess is right for all
  std::string vacuous;               ///< why its output tells too little for a score, or ""
  std::vector<std::string> excluded_by;  ///< protocols whose authors leave it out of their scores: "verified"
  std::string note;
};

/// All of them, by level and number.
const std::vector<KnownProblem>& known_problems();

/// The one whose file has this hash (sha256_hex), or null.
const KnownProblem* find_known_problem(const std::string& sha256);

}  // namespace kbv
