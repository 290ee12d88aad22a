// SPDX-License-Identifier: MIT
// Evaluates what a campaign lacks. Each of several threads takes a candidate through all its stages, so that some are
// built while one has the device: a device is used by one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/run_progress.h"
#include "cli/session.h"
#include "store/campaign.h"

namespace kbv {

struct RunnerJob {
  std::int64_t candidate = 0;
  std::string label;  ///< "level 1 no. 19 sample 0 of gemini"
  const CampaignProblem* problem = nullptr;
  std::string problem_path;
};

struct RunnerOptions {
  EvaluateOptions evaluate;
  int jobs = 1;
  int tries = 3;    ///< of a candidate whose evaluation the machine fails, in one start
  int give_up = 3;  ///< after so many candidates in a row that came to nothing, however often they were tried
};

class CampaignRunner {
 public:
  CampaignRunner(Campaign& campaign, std::vector<std::unique_ptr<Session>>& sessions, const RunnerOptions& options,
                 RunProgress& progress)
      : campaign_(campaign), sessions_(sessions), options_(options), progress_(progress) {}

  /// An error if nothing more can be done: interrupted, the campaign can't be written, or the machine fails everything.
  Result<void> run(const std::vector<RunnerJob>& jobs);

  int failed() const { return failed_; }  ///< candidates that came to nothing

 private:
  void work(const std::vector<RunnerJob>& jobs, std::size_t thread);
  Result<void> evaluate_one(const RunnerJob& job, Session& session, References& references, std::size_t thread);
  Result<void> came_to_nothing(const RunnerJob& job, const Error& error);
  void stop(Error error);

  Campaign& campaign_;
  std::vector<std::unique_ptr<Session>>& sessions_;
  const RunnerOptions& options_;
  RunProgress& progress_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<int> failed_{0}, failed_in_a_row_{0};
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace kbv
