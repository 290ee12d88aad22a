// SPDX-License-Identifier: MIT
// A campaign: what was asked of many candidates, and what was observed, in one SQLite file. docs/campaign.md describes
// its tables, which anybody may read with any SQLite. It is complete by itself: problems and candidates are in it as
// they were judged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/observation.h"

namespace kbv {

/// A problem is what its bytes are; level, number and name are how people call it.
struct CampaignProblem {
  std::int64_t id = 0;
  int level = 0, number = 0;
  std::string name;    ///< its file's, without ".py": "19_ReLU"
  std::string sha256;  ///< of `source`
  std::string source;  ///< empty if it is known by recorded results only; then `sha256` is too
};

struct CampaignCandidate {
  std::int64_t id = 0;
  std::string run;  ///< what made it, one line of a leaderboard: the run folder's name, or its model's
  std::int64_t problem = 0;
  int sample = 0;
  std::string path;  ///< where it was
  std::string sha256;
  std::string source;  ///< bytes, not always UTF-8
};

/// Nobody's fault but the machine's: told, and tried again. Never a verdict.
struct CampaignFailure {
  std::string at;  ///< UTC, ISO 8601
  std::string code, message, detail;
};

/// What another harness recorded of a sample: KernelBench's eval_results.json and its relatives.
struct RecordedResult {
  std::string run;
  int level = 0, number = 0, sample = 0;
  std::string harness;  ///< "kernelbench", "verified"
  std::string tests;    ///< "standard"; "hidden": KernelBench-Verified's eval_results_hidden.json; others: see tests_of_file()
  bool compiled = false, correct = false;
  std::optional<double> runtime_ms;  ///< the mean, as the file says; none where it says -1
  std::optional<std::uint64_t> peak_bytes;
  std::string json;  ///< the whole entry as it was, so that nothing is lost
};

/// For people: "correct", "wrong", "not compiled".
const char* recorded_outcome(const RecordedResult& result);

/// What another harness recorded of PyTorch on a problem: KernelBench's results/timing/HARDWARE/*.json.
struct RecordedBaseline {
  std::string hardware;  ///< the folder's name
  std::string name;      ///< "torch", "torch_compile_inductor_default", "torch_tf32"...: the file's, without
                         ///< "baseline_time_" and ".json"
  int level = 0;
  std::string problem;            ///< as the file names it, without ".py"
  std::optional<double> mean_ms;  ///< none where the file has null
  std::optional<std::uint64_t> peak_bytes;
  std::string json;
};

class Campaign {
 public:
  static constexpr int k_version = 1;  ///< of the schema, in SQLite's user_version

  /// Opens `path` to write, and makes it if it is not there. Another process that writes is a usage error ("locked"):
  /// the lock ends with its holder, however that ends.
  static Result<std::unique_ptr<Campaign>> open(const std::string& path);
  /// Only to read: while another one writes, too. A file that is no campaign, or of a newer version, is a usage error.
  static Result<std::unique_ptr<Campaign>> read(const std::string& path);
  ~Campaign();
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;

  /// How it is run: "suite", "size", "precision"... Empty where nothing was set.
  Result<std::map<std::string, std::string>> settings();
  Result<void> set(const std::string& name, const std::string& value);

  /// Adds it, or finds the one of the same level and number; if that has other bytes, a usage error "other_problem".
  Result<std::int64_t> add_problem(const CampaignProblem& problem);
  /// Adds it, or finds the one of the same run, problem and sample; if that has other bytes, a usage error
  /// "other_candidate".
  Result<std::int64_t> add_candidate(const CampaignCandidate& candidate);
  /// All or none: calls `work`, and keeps what it wrote if it returns no error.
  Result<void> together(const std::function<Result<void>()>& work);

  Result<std::vector<CampaignProblem>> problems();  ///< by level and number
  /// By run, problem (level, number) and sample; without `source`.
  Result<std::vector<CampaignCandidate>> candidates();
  Result<CampaignCandidate> candidate(std::int64_t id);  ///< with source; usage error "no_candidate"

  /// The result of one candidate; replaces one that is there. On return it is on the disk.
  Result<void> add_observation(std::int64_t candidate, const Observation& observation);
  Result<void> add_failure(std::int64_t candidate, const Error& error);
  Result<std::vector<std::int64_t>> observed();  ///< ids of candidates that have an observation, ascending
  /// Nothing if there is none yet.
  Result<std::optional<Observation>> observation(std::int64_t candidate);
  Result<std::vector<CampaignFailure>> failures(std::int64_t candidate);

  /// Adds or replaces (run, level, number, sample, harness, tests).
  Result<void> add_recorded(const RecordedResult& result);
  Result<void> add_recorded_baseline(const RecordedBaseline& baseline);
  Result<std::vector<RecordedResult>> recorded();
  Result<std::vector<RecordedBaseline>> recorded_baselines();

  const std::string& path() const { return path_; }

 private:
  struct Database;
  explicit Campaign(std::string path);
  Result<void> check();
  std::string path_;
  std::unique_ptr<Database> database_;
};

}  // namespace kbv
