// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "judge/reference.h"

namespace kbv {

/// The candidate's worker, launched in its box, by `runner` if that has a program; nothing of the candidate's has run until
/// load_candidate.
Result<std::unique_ptr<Worker>> start_candidate(const WorkerHost& host, const std::string& source,
                                                IsolationProfile profile, const BoxLimits& limits,
                                                const BuildBundle& bundle, const Runner& runner = {});

/// Imports the candidate and builds ModelNew with the reference's arguments under the same seed. `arguments`: those that are tensors, which
/// the worker maps.
Result<void> load_candidate(Device& device, Worker& worker, Reference& reference, const BuildBundle& bundle,
                            std::uint64_t construct_seed, const StageLimits& stages, std::uint64_t& state_bytes, BufferSet& arguments);

}  // namespace kbv
