// SPDX-License-Identifier: MIT
// Evaluates what a campaign lacks. Each of several threads takes a candidate through all its stages, so that some are
// built while one has the device: a device is used by one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_progress.h"
#include "store/campaign.h"

namespace kbv {

struct RunnerJob {
  std::int64_t candidate = 0;
  std::string label;  ///< "level 1 no. 19 sample 0 of gemini"
  const CampaignProblem* problem = nullptr;
  std::string problem_path;
};

/// Evaluates one candidate on behalf of a thread (0, 1, ...), and tells each stage's name.
using EvaluateJob =
    std::function<Result<Observation>(const RunnerJob& job, const CampaignCandidate& candidate, std::size_t thread,
                                      const std::function<void(const std::string&)>& stage)>;

struct RunnerOptions {
  int jobs = 1;
  int tries = 3;    ///< of a candidate whose evaluation the machine fails, in one start
  int give_up = 3;  ///< after so many candidates in a row that came to nothing, however often they were tried
};

class CampaignRunner {
 public:
  CampaignRunner(Campaign& campaign, EvaluateJob evaluate, const RunnerOptions& options, RunProgress& progress)
      : campaign_(campaign), evaluate_(std::move(evaluate)), options_(options), progress_(progress) {}

  /// An error if nothing more can be done: interrupted, the campaign can't be written, or the machine fails everything.
  Result<void> run(const std::vector<RunnerJob>& jobs);

  int failed() const { return failed_; }  ///< candidates that came to nothing

 private:
  void work(const std::vector<RunnerJob>& jobs, std::size_t thread);
  Result<void> evaluate_one(const RunnerJob& job, std::size_t thread);
  Result<void> came_to_nothing(const RunnerJob& job, const Error& error);
  void stop(Error error);

  Campaign& campaign_;
  const EvaluateJob evaluate_;
  const RunnerOptions options_;
  RunProgress& progress_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<int> failed_{0}, failed_in_a_row_{0};
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace kbv
