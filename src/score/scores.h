// SPDX-License-Identifier: MIT
// Speed and memory of a correct candidate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/protocol.h"

namespace kbv {

/// The baseline that `protocol` means on the machine of the observation: TF32 does not exist on the host backend, where
/// it becomes "eager".
std::string effective_baseline(const Observation& observation, const Protocol& protocol);

/// What is subtracted from the candidate's calls, us: the null beside them, but not more than the null beside the
/// baselines and a bounded drift; and how much dearer the null was in the candidate's process than in the baselines',
/// before any of the candidate's code ran. NaN without samples.
double candidate_null_us(const Observation& observation);

/// See Verdict::speed. Empty if the candidate was not timed.
std::vector<SpeedScore> score_speed(const Observation& observation, const Protocol& protocol);

/// Against the protocol's own baseline; nothing where one side was not measured.
std::optional<MemoryScore> score_memory(const Observation& observation, const Protocol& protocol);

}  // namespace kbv
