// SPDX-License-Identifier: MIT
// KernelBench's files of results, and KernelBench-Verified's: read, and written so that they read the same again.
// docs/kernelbench-files.md lists their fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem/run_folder.h"
#include "store/campaign.h"

namespace kbv {

/// What a file of results does not say itself.
struct ResultsSource {
  std::string run;
  int level = 0;
  std::string tests = "standard";  ///< RecordedResult::tests, see tests_of_file()
  std::string where;               ///< for errors: the file's path
};

struct ResultsRead {
  std::vector<RecordedResult> results;  ///< by problem and sample
  std::vector<std::string> notes;       ///< what is not a result, or has a value that can't be used; one line each
};

/// The bound of a problem's and a sample's number; of a level, see k_largest_level.
inline constexpr int k_largest_number = 999'999'999;

/// Any mixture of {"P": [entry...]}, {"P": entry} (of 2025) and {"P_S": entry} (KernelBench-Verified). A usage error
/// "bad_results" names the file, the entry and the field. The same problem and sample twice is one.
Result<ResultsRead> read_results(std::string_view text, const ResultsSource& source);

/// Results of one run, level, harness and `tests` as their file: each entry as its `json` says. "verified": {"P_S":
/// entry}, else
/// {"P": [entry...]}. Sorted by problem and sample. A `json` that does not say what the result says is a usage error.
Result<std::string> write_results(std::vector<RecordedResult> results);

/// "eval_results.json" -> "standard", "eval_results_hidden.json" -> "hidden", "eval_results.json.bak" -> "bak"; empty
/// if `file` is no file of results. KernelBench-Verified's leaderboard prefers "bak", then "pre_memory", for times.
std::string tests_of_file(std::string_view file);
/// The other way round; a usage error where `tests` comes from no file.
Result<std::string> file_of_tests(const std::string& tests);

struct BaselinesRead {
  std::vector<RecordedBaseline> baselines;
  std::vector<std::string> notes;
};

/// results/timing/HARDWARE/baseline_time_NAME.json: {"level1": {"1_Name.py": entry or null}}; with or without ".py".
Result<BaselinesRead> read_baselines(std::string_view text, const std::string& hardware, const std::string& name,
                                     const std::string& where);
/// Baselines of one hardware and name as their file; keys end in ".py", as KernelBench's own files have them.
Result<std::string> write_baselines(std::vector<RecordedBaseline> baselines);

/// "baseline_time_torch.json" -> "torch"; empty if `file` is no such file.
std::string baseline_of_file(std::string_view file);

/// The beginning of an untrusted text, printable, for a message of one line.
std::string shown(std::string_view text);

}  // namespace kbv
