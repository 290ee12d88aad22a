// SPDX-License-Identifier: MIT
// What a web page shows of whole runs: plain figures, however they were reckoned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kbv {

struct WebFigure {
  std::optional<double> value, low, high;  ///< shares from 0 to 1, factors as they are; a 95 % interval
  int problems = 0;                        ///< that count in it
};

struct WebDistribution {
  std::string name;           ///< "D1"
  int tried = 0, failed = 0;  ///< samples
};

/// A run on one level, or on all.
struct WebGroup {
  int level = 0;  ///< 0: all
  int problems = 0, solved = 0, samples = 0;
  int without_verdict = 0;  ///< problems that do not count, and not by the run's fault
  WebFigure correct, speedup, fast_1, memory, memory_efficient;
  std::vector<WebDistribution> distributions;
};

/// What counts of a run on a problem.
struct WebBest {
  std::size_t problem = 0;     ///< index in WebInput::problems
  std::int64_t candidate = 0;  ///< 0: none to show
  std::string code;            ///< as SampleScore::code
  bool correct = false, counts = true;
  std::optional<double> speedup, memory;
};

struct WebRunScore {
  std::vector<WebGroup> groups;  ///< all levels first
  std::vector<WebBest> best;     ///< by problem
};

struct WebRun {
  std::string name;
  std::vector<WebRunScore> under;  ///< by WebInput::rules
};

struct WebRules {
  std::string name, title;
  std::string baseline, statistic;  ///< what a speedup means there
  bool memory = false;              ///< it has memory figures
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
  std::vector<WebRun> runs;          ///< in the order of the leaderboard
  std::vector<WebProblem> problems;  ///< by level and number
  std::vector<WebCandidate> candidates;
};

}  // namespace kbv
