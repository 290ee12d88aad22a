// SPDX-License-Identifier: MIT
// What the verbs over problem files share: finding them, and running something over each in reference workers.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/session.h"
#include "judge/reference.h"

namespace kbv {

/// The problem files among `paths` and below the folders among them, in KernelBench's order, read. Of `size`, with
/// `constants`.
Result<std::vector<ProblemSpec>> read_problems(const std::vector<std::string>& paths, const std::string& size,
                                               const std::map<std::string, std::string>& constants);

/// "level1/19_ReLU.py"
std::string short_problem_name(const std::string& path);

/// An error in the verbs' JSON: fault, code and message, or null.
nlohmann::json error_to_json(const std::optional<Error>& error);

/// What is done with a problem in a reference worker that may have served others; sets `spent` if that one can't serve
/// again. Where no worker came up, `reference` is null and `start_error` says why. Returns the error that the problem
/// ends in, if any.
using ProblemWork = std::function<const std::optional<Error>&(std::size_t index, Reference* reference,
                                                              const Error* start_error, bool& spent)>;

/// Runs `work` over all, `jobs` at once, each in a worker of its own; what ran out of device memory beside others, once
/// more and alone. `done` is told each that is final, one at a time. False if interrupted.
bool for_each_problem(Session& session, const StageLimits& stages, std::size_t count, int jobs, const ProblemWork& work,
                      const std::function<void(std::size_t)>& done);

}  // namespace kbv
