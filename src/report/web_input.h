// SPDX-License-Identifier: MIT
// What a web page shows: leaderboards as they are, one for each of its rules, and a row for each candidate.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "score/leaderboard.h"

namespace kbv {

struct WebRules {
  std::string title;  ///< of the protocol, for people
  /// Its problems are WebInput::problems, or the first of them.
  Leaderboard board;
};

struct WebProblem {
  int level = 0, number = 0;
  std::string name;
  std::string note;  ///< why it is left out, or what it can not tell; may be empty
};

struct WebVerdict {
  std::string code = "not_run";
  bool correct = false, resolved = false;
  std::optional<double> speedup, low, high, memory;
};
WebVerdict web_verdict(const SampleScore& score);

struct WebCandidate {
  std::int64_t id = 0;  ///< from 1, unique in the page: its address is #c<id>
  std::size_t run = 0, problem = 0;
  int sample = 0;
  std::vector<WebVerdict> verdicts;  ///< by WebInput::rules
  std::vector<std::string> labels;
};

struct WebInput {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  ///< what, where, when: shown at the top
  std::vector<std::string> notes;                          ///< what a reader must know
  std::vector<WebRules> rules;       ///< the most lenient first; the last ones are the ones that count
  std::vector<std::string> runs;     ///< in the order of the leaderboard
  std::vector<WebProblem> problems;  ///< by level and number
  std::vector<WebCandidate> candidates;
};

/// A run under rules[rule]; null if it has no sample there.
const RunScore* score_of(const WebInput& input, std::size_t rule, std::size_t run);
/// `level` 0: all levels. Null if the run has no sample there.
const GroupScore* group_of(const WebInput& input, std::size_t rule, std::size_t run, int level);

/// Finds the candidate that a problem's score is about.
class CandidateIds {
 public:
  explicit CandidateIds(const WebInput& input);
  /// The best one; without a correct one the first, since the reason is about one of them. 0: none is in the page.
  std::int64_t of(std::size_t run, const ProblemScore& score) const;

 private:
  std::map<std::tuple<std::size_t, std::size_t, int>, std::int64_t> ids_;  ///< by run, problem and sample
};

}  // namespace kbv
