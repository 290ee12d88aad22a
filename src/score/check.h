// SPDX-License-Identifier: MIT
// The rules for one output and one case; judge.cpp makes a verdict of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/budget.h"
#include "score/protocol.h"

namespace kbv {

/// Whether `protocol` looks at cases like this one.
bool looks_at(const Protocol& protocol, const CaseResult& result);

/// For each case of the observation, whether `protocol` looks at it: of the trials, at the first ones.
std::vector<bool> needed_cases(const Observation& observation, const Protocol& protocol);

/// Why `output` does not pass, as the rest of a sentence ("output[3, 17] is 1.5, expected 2.25: ..."); nothing if it
/// passes. `tolerance` replaces the protocol's for floating types, and its budget.
std::optional<std::string> output_failure(const OutputCheck& output, const Protocol& protocol,
                                          std::optional<double> tolerance);

/// Why a case that ran does not pass, its first output's reason. By the budget where the protocol has one and float64 is known, of this
/// case or of the native distribution; else by the tolerance. Where the reference is itself far from float64, only what fails by both.
std::optional<std::string> case_failure(const CaseResult& result, const Observation& observation, const Protocol& protocol,
                                        std::optional<double> tolerance, Precision precision = Precision::tf32);

/// What keeps a case of an ill-conditioned reference from a verdict, an output's reason: it is beyond the tolerance, and no farther from
/// float64 than right implementations are. Nothing where the reference is near float64.
std::optional<std::string> case_doubt(const CaseResult& result, const Observation& observation, const Protocol& protocol,
                                      std::optional<double> tolerance);

/// Whether the comparison covers every output that the reference returns, and every element; else what is missing.
/// A comparison that did not look must not pass.
std::optional<std::string> comparison_gap(const CaseResult& result, const std::vector<OutputCheck>& layout);

/// "hidden-D2 (D1 x 3)": a case as a sentence names it.
std::string case_name(const CaseResult& result);

/// "output[3, 17]" from a flat index; the flat index where the shape cannot hold it.
std::string element_name(const OutputCheck& output, std::uint64_t index);

}  // namespace kbv
