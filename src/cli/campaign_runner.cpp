// SPDX-License-Identifier: MIT
#include "cli/campaign_runner.h"

#include <fmt/format.h>

#include <thread>

#include "os/interrupt.h"
#include "score/protocol.h"

namespace kbv {

Result<void> CampaignRunner::run(const std::vector<RunnerJob>& jobs) {
  std::vector<std::thread> threads;
  const auto count = std::min(static_cast<std::size_t>(options_.jobs), jobs.size());
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&, i] { work(jobs, i); });
  for (auto& thread : threads) thread.join();
  if (error_) return tl::make_unexpected(*error_);
  if (interrupted()) return fail(Fault::machine, "interrupted", "interrupted");
  return {};
}

void CampaignRunner::work(const std::vector<RunnerJob>& jobs, std::size_t thread) {
  while (!interrupted() && !stopped_) {
    const std::size_t i = next_++;
    if (i >= jobs.size()) return;
    if (auto done = evaluate_one(jobs[i], thread); !done) stop(std::move(done).error());
    progress_.stage(thread, "");
  }
}

Result<void> CampaignRunner::evaluate_one(const RunnerJob& job, std::size_t thread) {
  KBV_TRY_ASSIGN(const CampaignCandidate candidate, campaign_.candidate(job.candidate));
  for (int attempt = 1;; ++attempt) {
    const auto observation =
        evaluate_(job, candidate, thread, [&](const std::string& stage) { progress_.stage(thread, stage); });
    if (!observation && (interrupted() || observation.error().code == "interrupted")) return {};
    // What the machine fails says nothing of the candidate, and may go well the next time; bad input will not.
    const Error* error = nullptr;
    if (!observation)
      error = &observation.error();
    else if (observation->fault && observation->fault->fault == Fault::machine)
      error = &*observation->fault;
    if (!error) {
      KBV_TRY(campaign_.add_observation(job.candidate, *observation));
      failed_in_a_row_ = 0;
      progress_.judged(job.label, judge_observation(*observation, *find_protocol("attested")), *observation);
      return {};
    }
    KBV_TRY(campaign_.add_failure(job.candidate, *error));
    if (attempt >= options_.tries || error->fault != Fault::machine || stopped_) return came_to_nothing(job, *error);
    progress_.tried(job.label, *error);
  }
}

Result<void> CampaignRunner::came_to_nothing(const RunnerJob& job, const Error& error) {
  ++failed_;
  progress_.failed(job.label, error);
  if (++failed_in_a_row_ < options_.give_up) return {};
  return fail(error.fault, error.code,
              fmt::format("{} candidates in a row could not be evaluated, the last one because: {}",
                          failed_in_a_row_.load(), error.message),
              error.detail);
}

void CampaignRunner::stop(Error error) {
  const std::lock_guard guard(mutex_);
  if (!error_) error_ = std::move(error);
  stopped_ = true;
}

}  // namespace kbv
