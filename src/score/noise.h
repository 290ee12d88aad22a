// SPDX-License-Identifier: MIT
// The rule by distribution: of a forward that draws random numbers in training no single output is the right one. See docs/protocols.md.
#pragma once

#include <optional>
#include <string>

#include "score/protocol.h"

namespace kbv {

/// Whether `protocol` judges this case by distribution: it ran in training mode, of a forward that draws random numbers.
bool by_distribution(const CaseResult& result, const Observation& observation, const Protocol& protocol);

/// Whether calls of output `i` of `result` differ by more than rounding does; an output whose calls don't is judged as any other.
bool is_noisy(const CaseResult& result, std::size_t i, const Observation& observation, const Protocol& protocol);

/// Why many calls on the draw of `result`, of kind "noise", are not what the reference gives; nothing if they could be.
std::optional<std::string> noise_failure(const CaseResult& result, const Observation& observation, const Protocol& protocol);

/// Why output `i` of a single call in training can't be one of the reference's; nothing if it could be.
std::optional<std::string> single_call_failure(const CaseResult& result, std::size_t i, const Observation& observation, const Protocol& protocol);

/// Why the distribution that `protocol` asks for is not known; nothing if it is, or there is none.
std::optional<std::string> noise_gap(const Observation& observation, const Protocol& protocol);

}  // namespace kbv
