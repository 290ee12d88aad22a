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
  std::string folder;                  ///< absolute
  std::string version;                 ///< the data set, recognised by the problems' hashes: "kernelbench", "verified", "kernelbench, 3 of 250 changed", "unknown"
  std::vector<SuiteProblem> problems;  ///< by level and number
  std::vector<std::string> skipped;    ///< files that are no problems, with the reason

  const SuiteProblem* find(int level, int number) const;  ///< or null
};

/// Reads a folder: a checkout of KernelBench or KernelBench-Verified, its KernelBench folder, or any folder with level1, level2... in
/// it; or one with suite.toml, which numbers its files. Two files of one level and number are a usage error.
Result<Suite> read_suite(const std::string& folder);

/// Suites that the user added, by name, in ~/.local/state/kbv/suites.json; and "kbv", the one that comes with the binary.
Result<std::vector<Suite>> known_suites();
/// By name, else by path; a usage error lists the names that there are.
Result<Suite> find_suite(const std::string& name_or_path);
/// Remembers `folder` under `name` (empty: the data set's name, else the folder's).
Result<Suite> add_suite(const std::string& folder, const std::string& name);

}  // namespace kbv
