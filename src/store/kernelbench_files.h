// SPDX-License-Identifier: MIT
// Where KernelBench keeps its files: run folders and results/timing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/campaign.h"

namespace kbv {

struct KernelBenchFiles {
  std::vector<RecordedResult> results;
  std::vector<RecordedBaseline> baselines;
  std::vector<std::string> taken;  ///< one line a file: what it held
  std::vector<std::string> notes;  ///< one line each: what was not taken, or is not as it should be
};

struct KernelBenchSource {
  std::string run;           ///< for all results; "": generation_config.yaml's run_name, else the folder's name
  std::optional<int> level;  ///< for all results; none: generation_config.yaml's, else the run's name
                             ///< ("..._level2_..."), else that of its files level_{L}_problem_{P}_sample_{S}_kernel.py
};

/// Each path: a file of results or of baselines, by its name; or a folder, with those files in it, or at most 3 levels
/// below it (a run folder, runs, results/timing, a whole checkout). A usage error if one holds nothing of the kind, if
/// a level is not known, or if two files say something of the same sample.
Result<KernelBenchFiles> read_kernelbench_files(const std::vector<std::string>& paths, const KernelBenchSource& source);

}  // namespace kbv
