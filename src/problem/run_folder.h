// SPDX-License-Identifier: MIT
// Folders of generated kernels, as KernelBench and its relatives write them: which file answers which problem.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kbv {

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

/// Top-level `key: value` lines of a run's generation_config.yaml; empty where there is none.
Result<std::map<std::string, std::string>> read_generation_config(const std::string& folder);

}  // namespace kbv
