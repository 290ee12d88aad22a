// SPDX-License-Identifier: MIT
// The stages of one evaluation; internal to the judge layer.
#pragma once

#include "base/secret.h"
#include "judge/attested_call.h"
#include "judge/evaluate.h"

namespace kbv {

/// A worker's claim as a number of bytes; nothing if it can't be one.
std::optional<std::uint64_t> bounded_claim(double bytes);

class Evaluation {
 public:
  Evaluation(const EvaluateContext& context, const EvaluateOptions& options);

  /// Runs all stages; facts go to `observation` as they come, so that it is useful after an error too.
  Result<void> run(Observation& observation);

 private:
  Result<void> freeze();          // read and hash the sources, then make the secret
  Result<void> start_reference();
  Result<void> prepare_candidate();
  Result<void> learn_layout();
  Result<void> measure_baselines();
  Result<void> load();
  Result<void> check_cases();
  Result<void> measure_candidate();

  /// One call of the candidate on one draw, compared; appends to the observation's cases. False: the draw was dropped.
  Result<bool> run_case(const std::string& kind, const std::string& id, const Distribution& distribution,
                        const CallOptions& call, CallResult* result);
  bool evicts_cache() const;
  /// On the CPU a process that has just waited is slower by milliseconds than one that has just computed, and a
  /// candidate waits longer between its calls than the baselines do: an empty call first makes them alike.
  bool wakes_worker() const { return device_.info().backend == "host"; }
  Result<std::vector<OutputCheck>> compare_snapshot();
  /// One call of the empty forward in a worker, by default the baseline's.
  Result<void> time_null(const std::string& id, TimeSamples& samples);
  Result<void> time_null(const std::string& id, TimeSamples& samples, Worker& worker, CallBuffers& buffers);
  Result<void> prepare_buffers();
  /// Notes what isolation a box of the candidate's has; refuses less than is required.
  Result<void> check_box(const IsolationReport& isolation);
  void end_candidate();
  Result<void> run_stages();
  void stage(const char* name);

  const EvaluateContext& context_;
  const EvaluateOptions& options_;
  Device& device_;
  Observation* seen_ = nullptr;
  Secret secret_;
  std::string candidate_source_;
  ProblemSpec problem_;
  BuildBundle bundle_;
  // Two processes hold the reference: the oracle makes inputs and expected outputs, the baseline is timed. So a
  // baseline's timed call has the same neighbours as a candidate's: a draw in another process just before it.
  std::unique_ptr<Reference> reference_, baseline_;
  std::optional<CallBuffers> candidate_buffers_, baseline_buffers_;
  BufferSet snapshot_;  // what the last call gave
  std::unique_ptr<Worker> candidate_;  // after the buffers that it maps: it dies before them
  std::optional<std::uint64_t> memory_before_;  // device memory in use before any of the candidate's code ran
  std::string stage_name_;
  Clock::time_point stage_start_ = Clock::now();
};

}  // namespace kbv
