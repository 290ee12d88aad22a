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

/// As the allocator tells it, and the inputs.
std::optional<MemoryParts> claimed_parts(const MemoryReading& memory) {
  if (!memory.claimed_peak_bytes) return {};
  const std::uint64_t peak = *memory.claimed_peak_bytes, base = std::min(memory.claimed_base_bytes.value_or(memory.state_bytes), peak);
  MemoryParts parts;
  parts.peak_bytes = add(peak, memory.input_bytes);
  parts.state_bytes = std::min(memory.state_bytes, base);
  parts.input_bytes = memory.input_bytes;
  parts.kept_bytes = base - parts.state_bytes;
  parts.working_bytes = peak - base;
  return parts;
}

/// As the judge sees it from outside.
std::optional<MemoryParts> observed_parts(const MemoryReading& memory) {
  if (!memory.observed_growth_bytes) return {};
  MemoryParts parts;
  parts.peak_bytes = add(add(memory.state_bytes, memory.input_bytes), *memory.observed_growth_bytes);
  parts.state_bytes = memory.state_bytes;
  parts.input_bytes = memory.input_bytes;
  parts.working_bytes = *memory.observed_growth_bytes;
  return parts;
}

std::optional<double> ratio_of(std::uint64_t baseline, std::uint64_t candidate) {
  if (baseline == 0 || candidate == 0) return {};
  return static_cast<double>(baseline) / static_cast<double>(candidate);
}

}  // namespace

bool memory_is_contradicted(const MemoryReading& memory) {
  if (!memory.claimed_peak_bytes || !memory.observed_growth_bytes) return false;
  const std::uint64_t peak = *memory.claimed_peak_bytes, base = memory.claimed_base_bytes.value_or(0);
  const double claimed_growth = peak > base ? static_cast<double>(peak - base) : 0;
  return static_cast<double>(*memory.observed_growth_bytes) >
         k_claim_slack * claimed_growth + static_cast<double>(k_claim_slack_bytes);
}

std::optional<MemoryScore> score_memory(const Observation& observation, const Protocol& protocol) {
  const std::string name = effective_baseline(observation, protocol);
  const MemoryReading* reading = nullptr;
  for (const BaselineResult& result : observation.baselines)
    if (!reading && result.name == name && result.ok) reading = &result.memory;
  if (!reading) return {};
  const MemoryReading& own = observation.candidate_memory;

  MemoryScore score;
  score.baseline_name = name;
  auto baseline = claimed_parts(*reading), candidate = claimed_parts(own);
  if (baseline && candidate) {
    score.basis = "peak of PyTorch's allocator, and the inputs";
    if (memory_is_contradicted(own)) {
      const auto seen = observed_parts(own);
      if (seen && seen->peak_bytes > candidate->peak_bytes) candidate = seen;
      score.note = "the device's memory grew by more than the candidate's allocator tells, so the growth counts";
    }
  } else {
    score.basis = "parameters, inputs, and what one call added";
    baseline = observed_parts(*reading);
    candidate = observed_parts(own);
  }
  if (!baseline || !candidate) return {};
  const auto ratio = ratio_of(baseline->peak_bytes, candidate->peak_bytes);
  if (!ratio) return {};
  score.baseline = *baseline;
  score.candidate = *candidate;
  score.ratio = *ratio;
  score.own_ratio = ratio_of(add(baseline->kept_bytes, baseline->working_bytes), add(candidate->kept_bytes, candidate->working_bytes));
  return score;
}

}  // namespace kbv
