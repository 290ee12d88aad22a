// SPDX-License-Identifier: MIT
// The formats that programs read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/printable.h"
#include "report/leaderboard_text.h"

namespace kbv {
namespace {

using Json = nlohmann::ordered_json;

class CsvLines {
 public:
  void line(const std::string& run, int level, const std::string& metric, const std::string& value,
            const std::string& low = {}, const std::string& high = {}, const std::string& problems = {}) {
    text_ +=
        fmt::format("{},{},{},{},{},{},{}\r\n", csv_text(run), level, csv_text(metric), value, low, high, problems);
  }
  void figure(const std::string& run, int level, const std::string& metric, const Figure& figure) {
    const auto number = [](double value) {
      return std::isfinite(value) ? fmt::format("{:.9g}", value) : std::string();
    };
    line(run, level, metric, figure.value ? number(*figure.value) : "",
         figure.interval ? number(figure.interval->low) : "", figure.interval ? number(figure.interval->high) : "",
         std::to_string(figure.problems));
  }
  void count(const std::string& run, int level, const std::string& metric, int count) {
    line(run, level, metric, std::to_string(count));
  }
  std::string take() { return "run,level,metric,value,low,high,problems\r\n" + text_; }

 private:
  std::string text_;
};

constexpr const char* k_baseline_names[] = {"fp32", "tf32"};
constexpr const char* k_test_names[] = {"standard", "hidden"};

void add_group(CsvLines& csv, const std::string& run, const GroupScore& group) {
  const int level = group.level;
  for (const NamedFigure& figure : group.figures) csv.figure(run, level, figure.name, figure.figure);
  for (const auto& [name, count] :
       {std::pair{"problems", group.problems}, std::pair{"solved", group.solved},
        std::pair{"without_sample", group.without_sample}, std::pair{"without_verdict", group.without_verdict},
        std::pair{"excluded", group.excluded}, std::pair{"estimates", group.estimates},
        std::pair{"without_memory", group.without_memory}, std::pair{"samples", group.samples}})
    csv.count(run, level, name, count);
  for (const auto& [reason, count] : group.without_speedup) csv.count(run, level, "without_speedup:" + reason, count);
  for (const auto& [code, count] : group.codes) csv.count(run, level, "verdict:" + code, count);
  for (const DistributionFailures& one : group.distributions) {
    csv.count(run, level, "tried:" + one.distribution, one.tried);
    csv.count(run, level, "failed:" + one.distribution, one.failed);
  }
  for (const ToleranceRow& row : group.tolerances) {
    csv.figure(run, level, fmt::format("tolerance_{:g}:correct", row.tolerance), row.correct);
    csv.figure(run, level, fmt::format("tolerance_{:g}:speedup", row.tolerance), row.speedup);
  }
  if (!group.decomposition) return;
  for (std::size_t baseline = 0; baseline < 2; ++baseline)
    for (std::size_t tests = 0; tests < 2; ++tests) {
      const Decomposition::Cell& cell = group.decomposition->cells[baseline][tests];
      const std::string name = fmt::format("{}_{}:", k_baseline_names[baseline], k_test_names[tests]);
      csv.figure(run, level, name + "correct", cell.correct);
      csv.figure(run, level, name + "speedup", cell.speedup);
      csv.figure(run, level, name + "fast_1", cell.fast_1);
    }
}

template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Figure& figure) {
  return {{"value", json_of(figure.value)},
          {"interval", figure.interval ? Json{figure.interval->low, figure.interval->high} : Json()},
          {"problems", figure.problems}};
}

Json json_of(const Decomposition& decomposition) {
  Json json = {{"host", decomposition.host}};
  for (std::size_t baseline = 0; baseline < 2; ++baseline)
    for (std::size_t tests = 0; tests < 2; ++tests) {
      const Decomposition::Cell& cell = decomposition.cells[baseline][tests];
      json[fmt::format("{}_{}", k_baseline_names[baseline], k_test_names[tests])] = {
          {"correct", json_of(cell.correct)}, {"speedup", json_of(cell.speedup)}, {"fast_1", json_of(cell.fast_1)}};
    }
  return json;
}

Json json_of(const GroupScore& group) {
  Json json = {{"level", group.level == 0 ? Json() : Json(group.level)},
               {"problems", group.problems},
               {"solved", group.solved},
               {"without_sample", group.without_sample},
               {"without_verdict", group.without_verdict},
               {"excluded", group.excluded},
               {"estimates", group.estimates},
               {"without_speedup", group.without_speedup},
               {"without_memory", group.without_memory},
               {"samples", group.samples},
               {"samples_of_a_problem", {group.fewest_samples, group.most_samples}},
               {"verdicts", group.codes},
               {"figures", Json::object()},
               {"distributions", Json::object()},
               {"tolerances", Json::array()},
               {"decomposition", group.decomposition ? json_of(*group.decomposition) : Json()}};
  for (const NamedFigure& figure : group.figures) json["figures"][figure.name] = json_of(figure.figure);
  for (const DistributionFailures& one : group.distributions)
    json["distributions"][one.distribution] = {{"tried", one.tried}, {"failed", one.failed}};
  for (const ToleranceRow& row : group.tolerances)
    json["tolerances"].push_back(
        {{"tolerance", row.tolerance}, {"correct", json_of(row.correct)}, {"speedup", json_of(row.speedup)}});
  return json;
}

Json json_of(const ProblemScore& score, const LeaderboardProblem& problem) {
  return {{"level", problem.level},
          {"number", problem.number},
          {"samples", score.samples},
          {"judged", score.judged},
          {"correct", score.correct},
          {"counts", score.counts},
          {"best_sample", json_of(score.best)},
          {"code", score.code.empty() ? Json() : Json(score.code)},
          {"speedup", json_of(score.speedup)},
          {"memory_ratio", json_of(score.memory_ratio)}};
}

}  // namespace

std::string csv_text(std::string_view text) {
  std::string shown = printable(text);
  // Spreadsheets pass over spaces, and some read the full-width forms; some split at semicolons.
  const std::string_view begin = std::string_view(shown).substr(std::min(shown.find_first_not_of(' '), shown.size()));
  constexpr std::array<std::string_view, 8> k_formula{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  const bool formula =
      std::any_of(k_formula.begin(), k_formula.end(), [&](std::string_view sign) { return begin.starts_with(sign); });
  const bool quoted =
      shown.find_first_of(",;\"") != std::string::npos || shown.starts_with(' ') || shown.ends_with(' ');
  std::string field = quoted ? "\"" : "";
  if (formula) field += '\'';
  for (const char c : shown) field.append(quoted && c == '"' ? 2 : 1, c);
  if (quoted) field += '"';
  return field;
}

std::string leaderboard_csv(const Leaderboard& board) {
  CsvLines csv;
  for (const RunScore& run : board.runs) {
    add_group(csv, run.run, run.all);
    for (const GroupScore& group : run.levels) add_group(csv, run.run, group);
  }
  for (const AffectedProblems& one : board.affected) {
    csv.count("", one.level, "affected:tf32_only", one.tf32_only);
    csv.count("", one.level, "affected:hidden_only", one.hidden_only);
    csv.count("", one.level, "affected:both", one.both);
    csv.count("", one.level, "affected:neither", one.neither);
  }
  return csv.take();
}

std::string leaderboard_json(const Leaderboard& board) {
  Json json = {{"schema", "kbv-score/1"},
               {"protocol", board.protocol},
               {"tolerance", json_of(board.tolerance)},
               {"baseline", board.baseline.empty() ? Json() : Json(board.baseline)},
               {"statistic", board.statistic},
               {"fp32_baseline", board.fp32_baseline},
               {"tf32_baseline", board.tf32_baseline},
               {"notes", board.notes},
               {"problems", Json::array()},
               {"runs", Json::array()},
               {"affected", Json::array()}};
  for (const LeaderboardProblem& problem : board.problems)
    json["problems"].push_back({{"level", problem.level},
                                {"number", problem.number},
                                {"name", problem.name},
                                {"sha256", problem.sha256.empty() ? Json() : Json(problem.sha256)},
                                {"excluded", problem.excluded.empty() ? Json() : Json(problem.excluded)}});
  for (const RunScore& run : board.runs) {
    Json one = {{"run", run.run}, {"all", json_of(run.all)}, {"levels", Json::array()}, {"problems", Json::array()}};
    for (const GroupScore& group : run.levels) one["levels"].push_back(json_of(group));
    for (const ProblemScore& problem : run.problems)
      one["problems"].push_back(json_of(problem, board.problems[problem.problem]));
    json["runs"].push_back(std::move(one));
  }
  for (const AffectedProblems& one : board.affected)
    json["affected"].push_back({{"level", one.level == 0 ? Json() : Json(one.level)},
                                {"tf32_only", one.tf32_only},
                                {"hidden_only", one.hidden_only},
                                {"both", one.both},
                                {"neither", one.neither}});
  return json_text(json, 1) + "\n";
}

}  // namespace kbv
