// SPDX-License-Identifier: MIT
// Leaderboards as the plain figures of a web page.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "report/web_input.h"
#include "score/leaderboard.h"

namespace kbv {

/// The page's number of each candidate, by run, problem and sample.
using CandidateIds = std::map<std::tuple<std::string, std::size_t, int>, std::int64_t>;

/// `problems` gives the page's index of each of the leaderboard's problems.
WebRunScore web_run_score(const RunScore& run, const std::vector<std::size_t>& problems, const CandidateIds& ids);

WebVerdict web_verdict(const SampleScore& score);

}  // namespace kbv
