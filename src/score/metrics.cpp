// SPDX-License-Identifier: MIT
// Every figure is a weighted mean over problems of some value, so that one bootstrap serves all. docs/scoring.md
// defines them.
#include "score/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kbv {
namespace {

constexpr double k_fast[] = {0, 0.5, 0.8, 1, 1.5, 2};

/// A column with `value` of each outcome; nothing: the outcome does not count in it.
template <typename Value>
Column column(std::string name, const std::vector<Outcome>& outcomes, bool geometric, Value value) {
  Column made{std::move(name), {}, geometric};
  for (const Outcome& outcome : outcomes) {
    const std::optional<double> one = value(outcome);
    made.values.weight.push_back(one ? 1 : 0);
    made.values.value.push_back(!one ? 0 : geometric ? std::log(*one) : *one);
  }
  return made;
}

/// The share of all problems for which `holds`. Nothing counts in it where problems were solved and `known` of none:
/// then nobody measured it.
template <typename Known, typename Holds>
Column share(std::string name, const std::vector<Outcome>& outcomes, Known known, Holds holds) {
  const auto solved = [](const Outcome& outcome) { return outcome.correct > 0; };
  const auto measured = [&](const Outcome& outcome) { return solved(outcome) && known(outcome); };
  const bool unknown =
      std::any_of(outcomes.begin(), outcomes.end(), solved) && std::none_of(outcomes.begin(), outcomes.end(), measured);
  return column(std::move(name), outcomes, false, [&](const Outcome& outcome) {
    return unknown ? std::nullopt : std::optional(measured(outcome) && holds(outcome) ? 1.0 : 0.0);
  });
}

bool has_speedup(const Outcome& outcome) { return outcome.speedup.has_value(); }

Column fast(double least, const std::vector<Outcome>& outcomes) {
  return share(fmt::format("fast_{:g}", least), outcomes, has_speedup,
               [&](const Outcome& outcome) { return *outcome.speedup > least; });
}

Column pass_column(int attempts, const std::vector<Outcome>& outcomes) {
  const bool known =
      std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.judged >= attempts; });
  return column(fmt::format("pass_at_{}", attempts), outcomes, false,
                [&](const Outcome& outcome) -> std::optional<double> {
                  if (!known) return {};
                  if (outcome.samples == 0) return 0;
                  return outcome.judged >= attempts ? std::optional(pass_at(attempts, outcome.judged, outcome.correct))
                                                    : std::nullopt;
                });
}

void add_memory(std::vector<Column>& columns, const std::vector<Outcome>& outcomes) {
  const auto ratio = [](const Outcome& outcome) { return outcome.score ? outcome.score->memory_ratio : std::nullopt; };
  columns.push_back(column("memory_efficiency", outcomes, true, ratio));
  columns.push_back(share(
      "memory_efficient", outcomes, [&](const Outcome& outcome) { return ratio(outcome).has_value(); },
      [&](const Outcome& outcome) { return *ratio(outcome) > 1; }));
}

/// Shares of problems whose best sample is `grade`, if the protocol gives that grade at all.
void add_grade(std::vector<Column>& columns, const std::vector<Outcome>& outcomes, const char* name,
               std::optional<bool> SampleScore::* grade) {
  const auto graded = [&](const Outcome& outcome) { return outcome.score && (outcome.score->*grade).has_value(); };
  if (std::any_of(outcomes.begin(), outcomes.end(), graded))
    columns.push_back(share(name, outcomes, graded, [&](const Outcome& outcome) { return *(outcome.score->*grade); }));
}

}  // namespace

Reading own_reading() {
  return {[](const LeaderboardSample& sample) { return &sample.score; },
          [](const SampleScore& score) { return score.speedup; }};
}

Outcome outcome_of(std::span<const LeaderboardSample* const> samples, const Reading& reading) {
  Outcome outcome;
  for (const LeaderboardSample* sample : samples) {
    ++outcome.samples;
    const SampleScore* score = reading.score(*sample);
    if (!score || !is_verdict(*score)) continue;
    ++outcome.judged;
    if (!score->correct) continue;
    ++outcome.correct;
    const std::optional<double> speedup = reading.speedup(*score);
    const double gain = speedup.value_or(0) - outcome.speedup.value_or(0);
    if (outcome.best && (gain < 0 || (gain == 0 && sample->sample > outcome.best->sample))) continue;
    outcome.best = sample;
    outcome.score = score;
    outcome.speedup = speedup;
  }
  return outcome;
}

double pass_at(int attempts, int samples, int correct) {
  if (samples - correct < attempts) return 1;
  double all_wrong = 1;  // none of the attempts hits: a product, since the binomials overflow
  for (int i = samples - correct + 1; i <= samples; ++i) all_wrong *= 1 - static_cast<double>(attempts) / i;
  return 1 - all_wrong;
}

std::vector<Column> main_columns(const std::vector<Outcome>& outcomes) {
  std::vector<Column> columns;
  columns.push_back(
      column("correct", outcomes, false, [](const Outcome& o) { return std::optional(o.correct > 0 ? 1.0 : 0.0); }));
  columns.push_back(column("speedup", outcomes, true, [](const Outcome& o) { return o.speedup; }));
  columns.push_back(fast(1, outcomes));
  return columns;
}

std::vector<Column> all_columns(const std::vector<Outcome>& outcomes, bool memory, const std::vector<int>& attempts) {
  std::vector<Column> columns = main_columns(outcomes);
  if (memory) add_memory(columns, outcomes);
  for (const double least : k_fast)
    if (least != 1) columns.push_back(fast(least, outcomes));
  columns.push_back(share(
      "surely_faster", outcomes, [](const Outcome& o) { return has_speedup(o) && o.score->speed; },
      [](const Outcome& o) { return o.score->surely_faster; }));
  const Column& timed = columns[2];  // where nothing was timed, ones would be no measurement
  Column fallback = column("fallback_speedup", outcomes, true,
                           [](const Outcome& o) { return std::optional(std::max(1.0, o.speedup.value_or(1))); });
  fallback.values.weight = timed.values.weight;
  columns.push_back(std::move(fallback));
  add_grade(columns, outcomes, "robust", &SampleScore::robust);
  add_grade(columns, outcomes, "strict", &SampleScore::strict);
  for (const int k : attempts) columns.push_back(pass_column(k, outcomes));
  return columns;
}

std::vector<NamedFigure> figures_of(const std::vector<Column>& columns) {
  std::vector<WeightedValues> values;
  for (const Column& column : columns) values.push_back(column.values);
  const std::vector<Interval> intervals = bootstrap_weighted_means(values);
  std::vector<NamedFigure> figures;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto shown = [&](double mean) { return columns[i].geometric ? std::exp(mean) : mean; };
    Figure figure;
    for (const double weight : values[i].weight) figure.problems += weight > 0;
    if (figure.problems > 0) figure.value = shown(weighted_mean(values[i]));
    if (figure.problems > 1) figure.interval = Interval{shown(intervals[i].low), shown(intervals[i].high)};
    figures.push_back({columns[i].name, figure});
  }
  return figures;
}

}  // namespace kbv
