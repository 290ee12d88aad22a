// SPDX-License-Identifier: MIT
#include <map>

#include "report/web_sections.h"

namespace kbv {
namespace {

/// Texts of a few kinds, by number.
class Names {
 public:
  std::int64_t of(const std::string& name) {
    const auto [at, first] = numbers_.emplace(name, static_cast<std::int64_t>(names_.size()));
    if (first) names_.push_back(name);
    return at->second;
  }
  void put(JsonText& json) const {
    json.begin_array();
    for (const std::string& name : names_) json.text(name);
    json.end_array();
  }

 private:
  std::map<std::string, std::int64_t> numbers_;
  std::vector<std::string> names_;
};

}  // namespace

JsonText index_data(const WebInput& input) {
  const CandidateIds ids(input);
  Names codes, labels;
  JsonText json;
  json.begin_object().key("rules").begin_array();
  for (const WebRules& rules : input.rules) json.text(rules.board.protocol);
  json.end_array().key("runs").begin_array();
  for (const std::string& run : input.runs) json.text(run);
  json.end_array().key("problems").begin_array();
  for (const WebProblem& problem : input.problems)
    json.begin_array().whole(problem.level).whole(problem.number).text(problem.name).text(problem.note).end_array();
  json.end_array().key("best").begin_array();
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule) {
    json.begin_array();
    for (std::size_t run = 0; run < input.runs.size(); ++run) {
      json.begin_array();
      if (const RunScore* score = score_of(input, rule, run))
        for (const ProblemScore& problem : score->problems)
          if (problem.samples > 0)
            json.begin_array()
                .whole(static_cast<std::int64_t>(problem.problem))
                .whole(ids.of(run, problem))
                .whole(codes.of(problem.code))
                .number(problem.speedup)
                .number(problem.memory_ratio)
                .end_array();
      json.end_array();
    }
    json.end_array();
  }
  json.end_array().key("candidates").begin_array();
  for (const WebCandidate& candidate : input.candidates) {
    json.begin_array()
        .whole(candidate.id)
        .whole(static_cast<std::int64_t>(candidate.run))
        .whole(static_cast<std::int64_t>(candidate.problem))
        .whole(candidate.sample)
        .begin_array();
    for (const WebVerdict& verdict : candidate.verdicts) {
      json.begin_array().whole(codes.of(verdict.code));
      if (verdict.correct)
        json.number(verdict.speedup)
            .number(verdict.low)
            .number(verdict.high)
            .whole(verdict.resolved ? 1 : 0)
            .number(verdict.memory);
      json.end_array();
    }
    json.end_array();
    if (!candidate.labels.empty()) {
      json.begin_array();
      for (const std::string& label : candidate.labels) json.whole(labels.of(label));
      json.end_array();
    }
    json.end_array();
  }
  json.end_array().key("codes");
  codes.put(json);
  json.key("labels");
  labels.put(json);
  json.end_object();
  return json;
}

}  // namespace kbv
