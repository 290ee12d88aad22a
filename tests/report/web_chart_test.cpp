// SPDX-License-Identifier: MIT
#include "report/web_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>

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
  input.rules = {{"kernelbench", "", "", "", false}, {"attested", "", "", "", true}};
  for (std::size_t i = 0; i < values.size(); ++i) input.problems.push_back({static_cast<int>(i % 5), static_cast<int>(i), "p", ""});
  for (std::size_t r = 0; r < 10; ++r) {
    WebRun run{test::hostile_texts()[r], std::vector<WebRunScore>(2)};
    for (WebRunScore& score : run.under) {
      WebGroup group;
      group.problems = static_cast<int>(values.size());
      group.correct.value = group.fast_1.value = group.speedup.value = values[r % values.size()];
      score.groups = {group};
      for (std::size_t i = 0; i < values.size(); ++i) score.best.push_back({i, 0, "correct", true, true, values[i], values[(i + r) % values.size()]});
    }
    input.runs.push_back(run);
  }
  return input;
}

std::string all_charts(const WebInput& input) {
  Html html;
  for (const WebMetric metric : {WebMetric::correct, WebMetric::speedup, WebMetric::fast_1}) rules_chart(html, input, metric);
  for (std::size_t rule = 0; rule < 3; ++rule) {
    speedup_chart(html, input, rule);
    memory_chart(html, input, rule);
  }
  run_legend(html, input);
  return html.take();
}

TEST(WebChart, CoordinatesAreFiniteAndInsideWhateverTheValues) {
  const std::string svg = all_charts(input_of({1, 0.5, 0, -1, 1e300, 1e-300, k_inf, -k_inf, k_nan, 0.999, 5e-324}));
  const std::regex coordinate("(cx|cy|x|y|x1|x2|y1|y2|d|viewBox)=\"([^\"]*)\"");
  int seen = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), coordinate), end; it != end; ++it) {
    const std::string value = (*it)[2];
    EXPECT_THAT(value, Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf"), HasSubstr("e+")))) << it->str();
    if ((*it)[1] != "d" && (*it)[1] != "viewBox") {
      EXPECT_GE(std::stod(value), 0) << it->str();
      EXPECT_LE(std::stod(value), 400) << it->str();
    }
    ++seen;
  }
  EXPECT_GT(seen, 500);
}

TEST(WebChart, HasATitleAndADescriptionThatItNames) {
  const std::string svg = all_charts(input_of({1, 2}));
  const std::regex labelled("<svg viewBox=\"[0-9 .]*\" role=\"img\" aria-labelledby=\"([^ ]*) ([^\"]*)\"><title id=\"([^\"]*)\">[^<]+</title><desc id=\"([^\"]*)\">[^<]+</desc>");
  int seen = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), labelled), end; it != end; ++it, ++seen) {
    EXPECT_EQ((*it)[1], (*it)[3]);
    EXPECT_EQ((*it)[2], (*it)[4]);
  }
  EXPECT_EQ(seen, 9);
}

TEST(WebChart, NothingToShowIsShownAsNothing) {
  EXPECT_THAT(all_charts(WebInput()), HasSubstr("<svg"));
  WebInput input = input_of({1});
  for (WebRun& run : input.runs) run.under = {WebRunScore(), WebRunScore()};
  EXPECT_THAT(all_charts(input), Not(HasSubstr("<circle")));
}

TEST(WebChart, ShareFasterCountsAllProblems) {
  WebRunScore score;
  EXPECT_EQ(share_faster(score, 1), std::nullopt);
  score.groups.emplace_back().problems = 4;
  score.best = {{0, 0, "correct", true, true, 2.0, {}}, {1, 0, "correct", true, true, 1.0, {}}, {2, 0, "wrong_output", false, true, 9.0, {}},
                {3, 0, "correct", true, false, 9.0, {}}};
  EXPECT_EQ(share_faster(score, 1), 0.25);  // strictly faster, correct, counting
  EXPECT_EQ(share_faster(score, 0.5), 0.5);
}

}  // namespace
}  // namespace kbv
