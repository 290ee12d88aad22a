// SPDX-License-Identifier: MIT
// Speed and memory of a correct candidate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/sampling.h"
#include "score/protocol.h"

namespace kbv {

/// The baseline that `protocol` means on the machine of the observation: TF32 does not exist on the host backend, where
/// it becomes "eager".
std::string effective_baseline(const Observation& observation, const Protocol& protocol);

/// Which samples a speedup is made of.
struct TimeBasis {
  Span span = Span::forward;
  bool batches = false;
  std::vector<Evidence> why;  ///< why it is not what it would be for an honest worker
};

/// Forwards, in hand-overs of several calls where there are such. Two things can be hidden there, and each has an interval
/// that shows it: work beyond what the worker called the end of a forward makes the whole hand-over longer than the forwards
/// say; work for several calls done together makes a single call longer than those in a hand-over. Where one does, clearly
/// and by more than for `baseline`, that interval counts, for both.
TimeBasis time_basis(const Observation& observation, const TimeSamples& baseline);

/// The time of `samples` on that basis.
NetTime time_on(const TimeBasis& basis, const Observation& observation, const TimeSamples& samples);

/// See Verdict::speed. Empty if the candidate was not timed.
std::vector<SpeedScore> score_speed(const Observation& observation, const Protocol& protocol);

/// The samples of the baseline that `protocol` means; none if it was not measured.
const TimeSamples& baseline_samples(const Observation& observation, const Protocol& protocol);

/// The device's memory tells another story than the candidate's allocator.
bool memory_is_contradicted(const MemoryReading& memory);

/// See Verdict::evidence.
/// `net` is the candidate's time on `basis`; not finite if it was not timed.
std::vector<Evidence> find_evidence(const Observation& observation, const TimeBasis& basis, const NetTime& net);

/// Against the protocol's own baseline; nothing where one side was not measured.
std::optional<MemoryScore> score_memory(const Observation& observation, const Protocol& protocol);

}  // namespace kbv
