// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kbv::fuzz {

struct Burst {
  std::string target;               ///< its name, for messages and files
  std::vector<std::string> corpus;  ///< at least one input
  std::uint64_t seed = 0;
  double seconds = 3;
  double hang_s = 30;  ///< an input that takes longer is a fault
  std::string faults;  ///< the folder for an input that is one
};

/// Feeds the target with changed inputs of the corpus for that long, in a process of its own: whatever kills it, what
/// it was fed with is known, written to a file of `faults` and told, with the seed. The exit code: 0, or 1 after a
/// fault.
int run_burst(const Burst& burst);

}  // namespace kbv::fuzz
