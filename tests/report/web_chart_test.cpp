// SPDX-License-Identifier: MIT
#include "report/web_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string_view>

#include "made.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

/// Runs whose figures are whatever `values` hold.
WebInput input_of(const std::vector<double>& values) {
  WebInput input;
  input.rules.resize(2);
  input.rules[0].board.protocol = "kernelbench";
  input.rules[1].board.protocol = "attested";
  for (std::size_t i = 0; i < values.size(); ++i)
    input.problems.push_back({static_cast<int>(i % 5), static_cast<int>(i), "p", ""});
  for (std::size_t r = 0; r < 10; ++r) {
    RunScore run;
    run.run = test::hostile_texts()[r];
    run.all.problems = static_cast<int>(values.size());
    const Figure figure{values[r % values.size()], {}, 1};
    run.all.figures = {{"correct", figure}, {"fast_1", figure}, {"speedup", figure}};
    run.all.decomposition.emplace();
    for (auto& row : run.all.decomposition->cells) row.fill({figure, figure, figure});
    for (std::size_t i = 0; i < values.size(); ++i) {
      ProblemScore problem;
      problem.problem = i;
      problem.samples = problem.judged = problem.correct = 1;
      problem.counts = true;
      problem.best = 0;
      problem.speedup = values[i];
      problem.memory_ratio = values[(i + r) % values.size()];
      run.problems.push_back(problem);
    }
    input.runs.push_back(run.run);
    for (WebRules& rules : input.rules) rules.board.runs.push_back(run);
  }
  return input;
}

std::string all_charts(const WebInput& input) {
  Html html;
  for (const WebMetric metric : {WebMetric::correct, WebMetric::speedup, WebMetric::fast_1})
    rules_chart(html, input, metric);
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule) {
    speedup_chart(html, input, rule);
    memory_chart(html, input, rule);
    for (const WebMetric metric : {WebMetric::correct, WebMetric::speedup, WebMetric::fast_1})
      corner_chart(html, input, rule, metric);
  }
  run_legend(html, input);
  return html.take();
}

/// Names and values of all attributes, in order. (std::regex runs out of stack on a long path.)
std::vector<std::pair<std::string, std::string>> attributes_of(std::string_view svg) {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t at = 0; (at = svg.find("=\"", at)) != std::string_view::npos;) {
    const std::size_t name = svg.find_last_of(" ", at) + 1, value = at + 2, end = svg.find('"', value);
    all.emplace_back(svg.substr(name, at - name), svg.substr(value, end - value));
    at = end + 1;
  }
  return all;
}

TEST(WebChart, CoordinatesAreFiniteAndInsideWhateverTheValues) {
  const std::string svg = all_charts(input_of({1, 0.5, 0, -1, 1e300, 1e-300, k_inf, -k_inf, k_nan, 0.999, 5e-324}));
  const std::set<std::string> coordinates{"cx", "cy", "x", "y", "x1", "x2", "y1", "y2"};
  int seen = 0;
  for (const auto& [name, value] : attributes_of(svg)) {
    const bool coordinate = coordinates.count(name) > 0;
    if (!coordinate && name != "d" && name != "viewBox") continue;
    EXPECT_THAT(value, Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf"), HasSubstr("e+")))) << name;
    if (coordinate) {
      EXPECT_GE(std::stod(value), 0) << name;
      EXPECT_LE(std::stod(value), 400) << name;
    }
    ++seen;
  }
  EXPECT_GT(seen, 500);
}

TEST(WebChart, HasATitleAndADescriptionThatItNames) {
  const std::string svg = all_charts(input_of({1, 2}));
  int seen = 0;
  const auto attributes = attributes_of(svg);
  for (std::size_t i = 0; i + 2 < attributes.size(); ++i) {
    if (attributes[i].first != "aria-labelledby") continue;
    EXPECT_EQ(attributes[i].second, attributes[i + 1].second + " " + attributes[i + 2].second);
    EXPECT_THAT(svg, HasSubstr("<title id=\"" + attributes[i + 1].second + "\">"));
    EXPECT_THAT(svg, HasSubstr("<desc id=\"" + attributes[i + 2].second + "\">"));
    ++seen;
  }
  EXPECT_EQ(seen, 3 + 2 * (2 + 3));
}

TEST(WebChart, NothingToShowIsShownAsNothing) {
  EXPECT_THAT(all_charts(WebInput()), HasSubstr("<svg"));
  WebInput input = input_of({1});
  for (WebRules& rules : input.rules) rules.board.runs.clear();
  EXPECT_THAT(all_charts(input), Not(HasSubstr("<circle")));
}

TEST(WebChart, ARowSaysWhatIsLostFromTheFirstStationToTheLast) {
  WebInput input = input_of({0.5});
  input.runs.resize(1);
  auto& lenient = input.rules[0].board.runs.front().all;
  lenient.figures[0].figure.value = 0.75;
  Html html;
  rules_chart(html, input, WebMetric::correct);
  EXPECT_THAT(html.take(), HasSubstr(">75.0 % \u2192 50.0 %<"));
  auto& strict = input.rules[1].board.runs.front().all;
  strict.decomposition->cells[0][0].speedup.value = 1.67;
  strict.decomposition->cells[1][1].speedup.value = 0.85;
  corner_chart(html, input, 1, WebMetric::speedup);
  EXPECT_THAT(html.take(), HasSubstr(">1.67x \u2192 0.85x<"));
  strict.decomposition->cells[1][1].speedup.value.reset();
  corner_chart(html, input, 1, WebMetric::speedup);
  EXPECT_THAT(html.take(), HasSubstr(">1.67x \u2192 none<"));
}

TEST(WebChart, ShareFasterCountsAllProblems) {
  RunScore score;
  EXPECT_EQ(share_faster(score, 1), std::nullopt);
  score.all.problems = 4;
  const auto add = [&](bool correct, bool counts, double speedup) {
    ProblemScore& problem = score.problems.emplace_back();
    problem.problem = score.problems.size() - 1;
    problem.counts = counts;
    if (correct) problem.best = 0;
    problem.speedup = speedup;
  };
  add(true, true, 2.0);
  add(true, true, 1.0);
  add(false, true, 9.0);
  add(true, false, 9.0);
  EXPECT_EQ(share_faster(score, 1), 0.25);  // strictly faster, correct, counting
  EXPECT_EQ(share_faster(score, 0.5), 0.5);
}

}  // namespace
}  // namespace kbv
