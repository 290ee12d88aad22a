// SPDX-License-Identifier: MIT
// Mutants that a person has looked at and found to be right implementations.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "mutate/mutations.h"

namespace kbv {

/// One [[mutant]] of zoo/equivalent_mutants.toml. It names a change by what it does, not by its place, so that it
/// outlives edits elsewhere in the file and other choices of mutants.
struct EquivalentMutant {
  std::string file;  ///< as in zoo.toml
  Family family = Family::index;
  std::string old_text, new_text;  ///< as in Mutant
  int occurrence = 0;              ///< as in Mutant; 0: each
  std::string reason;
};

/// A usage error names the entry and the field.
Result<std::vector<EquivalentMutant>> read_equivalent_mutants(const std::string& path);

/// The reason why `mutant` of the candidate that the manifest calls `file` is right; null if nobody has found that.
const EquivalentMutant* find_equivalent(const std::vector<EquivalentMutant>& all, const std::string& file,
                                        const Mutant& mutant);

}  // namespace kbv
