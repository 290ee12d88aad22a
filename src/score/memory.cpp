// SPDX-License-Identifier: MIT
// Peak memory of one forward pass, as the paper means it: everything that has to be there at the peak, parameters and
// inputs included. Inputs lie outside the worker's allocator here (the judge owns them), so they are added.
#include <algorithm>
#include <limits>

#include "score/scores.h"

namespace kbv {
namespace {

/// How much more than a worker's claim the device's memory may grow before the claim is not believed: the allocator
/// takes memory in blocks of up to 20 MiB, and keeps parts of them.
constexpr std::uint64_t k_claim_slack_bytes = 64u << 20;
constexpr double k_claim_slack = 1.25;

/// Claims are any number that a worker likes to name, so sums must not wrap.
std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

std::optional<std::uint64_t> claimed_peak(const MemoryReading& memory) {
  if (!memory.claimed_peak_bytes) return {};
  return add(*memory.claimed_peak_bytes, memory.input_bytes);
}

std::optional<std::uint64_t> observed_peak(const MemoryReading& memory) {
  if (!memory.observed_growth_bytes) return {};
  return add(add(memory.state_bytes, memory.input_bytes), *memory.observed_growth_bytes);
}

/// The device grew by clearly more than the worker's allocator owns up to: memory was taken past the allocator.
bool claim_is_contradicted(const MemoryReading& memory) {
  if (!memory.claimed_peak_bytes || !memory.observed_growth_bytes) return false;
  const std::uint64_t peak = *memory.claimed_peak_bytes, base = memory.claimed_base_bytes.value_or(0);
  const double claimed_growth = peak > base ? static_cast<double>(peak - base) : 0;
  return static_cast<double>(*memory.observed_growth_bytes) >
         k_claim_slack * claimed_growth + static_cast<double>(k_claim_slack_bytes);
}

}  // namespace

std::optional<MemoryScore> score_memory(const Observation& observation, const Protocol& protocol) {
  const std::string name = effective_baseline(observation, protocol);
  const MemoryReading* baseline = nullptr;
  for (const BaselineResult& result : observation.baselines)
    if (!baseline && result.name == name && result.ok) baseline = &result.memory;
  if (!baseline) return {};
  const MemoryReading& candidate = observation.candidate_memory;

  MemoryScore score;
  score.baseline = name;
  auto baseline_peak = claimed_peak(*baseline), candidate_peak = claimed_peak(candidate);
  if (baseline_peak && candidate_peak) {
    score.basis = "peak of PyTorch's allocator, and the inputs";
    if (claim_is_contradicted(candidate)) {
      candidate_peak = std::max(*candidate_peak, observed_peak(candidate).value_or(0));
      score.note = "the device's memory grew by more than the candidate's allocator tells, so the growth counts";
    }
  } else {
    score.basis = "parameters, inputs, and what one call added";
    baseline_peak = observed_peak(*baseline);
    candidate_peak = observed_peak(candidate);
  }
  if (!baseline_peak || !candidate_peak || *baseline_peak == 0 || *candidate_peak == 0) return {};
  score.baseline_bytes = *baseline_peak;
  score.candidate_bytes = *candidate_peak;
  score.ratio = static_cast<double>(*baseline_peak) / static_cast<double>(*candidate_peak);
  return score;
}

}  // namespace kbv
