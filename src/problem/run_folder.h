// SPDX-License-Identifier: MIT
// Folders of generated kernels, as KernelBench and its relatives write them: which file answers which problem.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kbv {

inline constexpr int k_largest_level = 999;

/// The number that `text` begins with, such as 19 of "19_ReLU"; nothing if there is none, or a larger one.
std::optional<int> leading_number(std::string_view text, int largest = std::numeric_limits<int>::max());

struct RunCandidate {
  std::string run;  ///< the run folder's name; below the given one, with its path in it: "opus/level1"
  int level = 0, number = 0, sample = 0;
  std::string path;
};

struct RunFolder {
  std::vector<RunCandidate> candidates;  ///< by run, level, number and sample
  std::vector<std::string> skipped;      ///< Python files that name no problem, each with the reason
  std::map<std::string, std::string>
      runs;  ///< each run's precision as its generation_config.yaml says: "fp32", "bf16"...; else ""
};

/// A run folder, or a folder of such (three deep at most). Names that are known: level_L_problem_P_sample_S_kernel.py,
/// the same without level or sample, and kernel_P_NAME_py/generated_code.py. Where a name has no level, it is what
/// generation_config.yaml says, else what the folder's name says ("opus4_level2_2025"), else `level`. Two files for one
/// run, problem and sample are a usage error, and so is a folder without any.
Result<RunFolder> read_run_folder(const std::string& folder, std::optional<int> level = {});

/// What read_flat_yaml() makes of a run's generation_config.yaml; empty where there is none.
Result<std::map<std::string, std::string>> read_generation_config(const std::string& folder);

/// The level that a run's name has in it, such as 2 of "model_level2_test"; nothing if there is none, or several.
std::optional<int> level_of_run(std::string_view name);

}  // namespace kbv
