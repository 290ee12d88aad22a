// SPDX-License-Identifier: MIT
// A suite: a folder of numbered problems in levels, as KernelBench's.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace kbv {

struct SuiteProblem {
  int level = 0, number = 0;
  std::string name;    ///< its file's, without ".py": "19_ReLU"
  std::string path;    ///< of the file
  std::string sha256;  ///< of its bytes: what the problem is
};

struct Suite {
  std::string name;
  std::string folder;  ///< absolute
  /// The data set, as the problems' hashes tell: "kernelbench 423217d", "verified 3fdf6fe", either with "3 of 250
  /// changed" behind it; or "unknown".
  std::string version;
  std::string fingerprint;             ///< SHA-256 over levels, numbers, names and hashes of all problems
  std::vector<SuiteProblem> problems;  ///< by level and number
  std::vector<std::string> skipped;    ///< what is no problem of levels 1 to 3, each with the reason

  const SuiteProblem* find(int level, int number) const;  ///< or null
};

inline constexpr const char* k_own_suite = "kbv";  ///< the one that comes with the binary

/// Reads a folder: a checkout of KernelBench or KernelBench-Verified, its KernelBench folder, or any folder with
/// level1, level2, level3 in it; or one with suite.toml, which numbers its files. Two files of one level and number are
/// a usage error.
Result<Suite> read_suite(const std::string& folder);

/// k_own_suite, and those that the user added. A folder that is no longer what it was is in `skipped`, and the suite
/// has no problems.
Result<std::vector<Suite>> known_suites();
/// By name, else a folder. A usage error: of an unknown name, with those that there are; of a suite that has changed
/// since it was added.
Result<Suite> find_suite(const std::string& name_or_folder);
/// Whether a name that another folder has is given to this one.
enum class SuiteName { must_be_free, may_be_taken };
/// Remembers `folder` under `name`; empty: what the data set is called, else the folder. The same folder again is taken
/// as it is now. A name that stands for another folder is a usage error "suite_taken", unless it may be taken.
Result<Suite> add_suite(const std::string& folder, const std::string& name, SuiteName taking = SuiteName::must_be_free);

}  // namespace kbv
