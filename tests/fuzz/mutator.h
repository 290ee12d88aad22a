// SPDX-License-Identifier: MIT
// Inputs for a burst of fuzzing: the corpus, changed at random. No coverage guides it; that is scripts/fuzz.sh's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbv::fuzz {

class Mutator {
 public:
  /// `corpus` holds at least one input. Words of it join the dictionary.
  Mutator(std::vector<std::string> corpus, std::uint64_t seed);

  /// The input of that number: a function of corpus, seed and number alone, so that whoever knows the three can make it
  /// again.
  std::string input(std::uint64_t number) const;

 private:
  const std::vector<std::string> corpus_;
  const std::uint64_t seed_;
  std::vector<std::string> dictionary_;
};

}  // namespace kbv::fuzz
