// SPDX-License-Identifier: MIT
// What does not fit together: claims against the judge's clock, times against what the device can do, memory against
// what the allocator tells. All of it has honest causes too, so none of it is a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "judge/sampling.h"
#include "problem/known_problems.h"
#include "score/scores.h"

namespace kbv {
namespace {

/// A claim within this of the judge's clock is no mismatch: a part, and some microseconds for what lies between go and
/// the first event, and between the last event and the word that the device is idle.
constexpr double k_claim_us = 5, k_claim_part = 0.1;
/// A traced call is a single one, at the clocks of a device that was idle.
constexpr double k_traced_us = 20, k_traced_part = 0.5;
/// What a cache may keep of outputs instead of writing them to memory before the clock stops.
constexpr std::uint64_t k_cached_bytes = 128u << 20;
/// A kernel may be quicker than a plain copy or product by this.
constexpr double k_rate_margin = 1.2;

/// The worker's own events, and what CUPTI saw of another call, beside the judge's clock.
void claims_against_clock(const Observation& observation, const TimeBasis& basis, const NetTime& net,
                          std::vector<Evidence>& found) {
  const double claimed_us = median(claims_of(observation.candidate_time, basis.batches));
  const double allowed_us = std::max(k_claim_us, k_claim_part * net.time_us) + net.uncertainty_us;
  if (std::isfinite(claimed_us) && std::abs(claimed_us - net.time_us) > allowed_us)
    found.push_back({"timing_mismatch",
                     fmt::format("the candidate's process claims {:.1f} us, and the judge measured {:.1f} us: only the "
                                 "judge's figure counts",
                                 claimed_us, net.time_us)});
  if (!observation.candidate_kernels || observation.candidate_kernels->kernels.empty()) return;
  double device_us = 0;
  for (const TracedKernel& kernel : observation.candidate_kernels->kernels)
    device_us += static_cast<double>(kernel.total_ns) * 1e-3;
  if (device_us > net.time_us + std::max(k_traced_us, k_traced_part * net.time_us))
    found.push_back(
        {"timing_mismatch",
         fmt::format("its kernels take {:.1f} us together in a traced call, and the judge measured {:.1f} us: "
                     "they run side by side, or less runs when it is timed",
                     device_us, net.time_us)});
}

/// Times that the device can't reach by doing all of the work: every input is read once from a cold cache, and of the
/// outputs what no cache keeps is written; every operation of the reference is done.
void time_against_device(const Observation& observation, double time_us, std::vector<Evidence>& found) {
  const Timing& timing = observation.timing;
  const std::uint64_t outputs = observation.candidate_memory.output_bytes;
  const double bytes = static_cast<double>(observation.candidate_memory.input_bytes +
                                           (outputs > k_cached_bytes ? outputs - k_cached_bytes : 0));
  const double bytes_per_s = k_rate_margin * timing.memory_bytes_per_s;
  if (bytes_per_s > 0 && timing.cache_rule.starts_with("cold") && time_us < bytes / bytes_per_s * 1e6)
    found.push_back(
        {"below_floor",
         fmt::format("its time ({:.2f} us) is less than the {:.2f} us that {:.1f} MB of inputs and outputs take at "
                     "{:.0f} GB/s, {:.1f} times this device's copy: it reads less than all of its inputs, or finds "
                     "them in a cache",
                     time_us, bytes / bytes_per_s * 1e6, bytes / 1e6, bytes_per_s / 1e9, k_rate_margin)});
  const double operations = static_cast<double>(timing.operations),
               operations_per_s = k_rate_margin * timing.operations_per_s;
  if (operations_per_s > 0 && time_us < operations / operations_per_s * 1e6)
    found.push_back(
        {"below_floor",
         fmt::format("its time ({:.2f} us) is less than the {:.2f} us that the reference's {:.4g} GFLOP take at "
                     "{:.0f} TFLOP/s, {:.1f} times this device's product of bfloat16: it does fewer operations, or "
                     "in a smaller type",
                     time_us, operations / operations_per_s * 1e6, operations / 1e9, operations_per_s / 1e12,
                     k_rate_margin)});
}

}  // namespace

std::vector<Evidence> find_evidence(const Observation& observation, const TimeBasis& basis, const NetTime& net) {
  std::vector<Evidence> found;
  if (std::isfinite(net.time_us)) {
    found = basis.why;
    claims_against_clock(observation, basis, net, found);
    time_against_device(observation, net.time_us, found);
  }
  if (const KnownProblem* known = find_known_problem(observation.problem.sha256); known && !known->vacuous.empty())
    found.push_back({"vacuous_problem", fmt::format("this problem is known to be vacuous, {}: an output for which "
                                                    "little of the work is done can pass, so that a speedup "
                                                    "on it says nothing",
                                                    known->vacuous)});
  const Timing& timing = observation.timing;
  if (timing.busy_after_calls > 0)
    found.push_back(
        {"busy_after_calls",
         fmt::format("after {} of its hand-overs the device was busy although it had said that it was done, for "
                     "{:.1f} ms at most",
                     timing.busy_after_calls, timing.longest_busy_ms)});
  const auto written = std::count_if(observation.cases.begin(), observation.cases.end(),
                                     [](const CaseResult& result) { return result.mutated_inputs; });
  if (written > 0)
    found.push_back(
        {"inputs_written", fmt::format("it wrote to its inputs in {} of {} cases", written, observation.cases.size())});
  std::string attacks;
  for (const RefusedCall& call : observation.refused_calls)
    if (call.is_attack) attacks += (attacks.empty() ? "" : ", ") + call.layer + ": " + call.call;
  if (!attacks.empty())
    found.push_back({"refused_call",
                     fmt::format("its box refused what no kernel needs, and what reaches for other processes, the kernel "
                                 "or the machine ({})",
                                 attacks)});
  if (memory_is_contradicted(observation.candidate_memory))
    found.push_back(
        {"memory_mismatch", "the device's memory tells of more than its allocator does: memory was taken past it"});
  return found;
}

}  // namespace kbv
