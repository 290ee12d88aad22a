// SPDX-License-Identifier: MIT
#include "report/web_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/text.h"
#include "report/web_svg.h"

namespace kbv {
namespace {

constexpr std::size_t k_colours = 8;  // of the style sheet; runs beyond them have the same again, dashed

std::string colour_of(std::size_t run) {
  return fmt::format("s{}{}", run % k_colours, run / k_colours % 2 == 1 ? " dashed" : "");
}

/// Solved problems that count and have a speedup.
std::vector<const ProblemScore*> timed_problems(const RunScore& score) {
  std::vector<const ProblemScore*> timed;
  for (const ProblemScore& problem : score.problems)
    if (problem.counts && problem.best && problem.speedup) timed.push_back(&problem);
  return timed;
}

}  // namespace

std::string rule_style(const WebInput& input, std::size_t rule) {
  const std::size_t after = input.rules.size() - 1 - rule;
  return std::to_string(after < 3 ? 2 - after : 3);
}

const char* metric_name(WebMetric metric) {
  switch (metric) {
    case WebMetric::correct:
      return "Correct";
    case WebMetric::speedup:
      return "Correct speedup";
    case WebMetric::fast_1:
      return "Fast@1";
  }
  return "";
}

const char* metric_figure(WebMetric metric) {
  switch (metric) {
    case WebMetric::correct:
      return "correct";
    case WebMetric::speedup:
      return "speedup";
    case WebMetric::fast_1:
      return "fast_1";
  }
  return "";
}

std::optional<double> share_faster(const RunScore& score, double factor) {
  if (score.all.problems <= 0) return std::nullopt;
  const auto timed = timed_problems(score);
  const auto faster = std::count_if(timed.begin(), timed.end(), [&](const auto* one) { return *one->speedup > factor; });
  return static_cast<double>(faster) / score.all.problems;
}

void speedup_chart(Html& html, const WebInput& input, std::size_t rule) {
  constexpr double k_low = 0.1, k_high = 10, k_bottom = 220;
  const Scale x(Scale::Kind::logarithmic, k_low, k_high, k_chart_left, k_chart_right),
      y(Scale::Kind::linear, 0, 1, k_bottom, k_chart_top);
  begin_chart(html, fmt::format("cdf-{}", rule), k_bottom + 32,
               "Share of problems solved faster than a factor, by " + input.rules[rule].board.protocol,
               "One falling line a run: of all problems that count, the share whose fastest correct candidate is "
               "faster than the factor "
               "below. The table beside has the values.");
  for (int i = 0; i <= 4; ++i) {
    chart_line(html, k_chart_left, y(i / 4.0), k_chart_right, y(i / 4.0), "grid");
    chart_label(html, k_chart_left - 5, y(i / 4.0) + 4, fmt::format("{} %", 25 * i), "end");
  }
  log_ticks(html, x, k_low, k_high, k_chart_top, k_bottom);
  chart_label(html, (k_chart_left + k_chart_right) / 2, k_bottom + 28, "speedup", "middle", "axis");
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const RunScore* score = score_of(input, rule, i);
    const auto start = score ? share_faster(*score, k_low) : std::nullopt;
    if (!start) continue;
    std::vector<double> speedups;
    for (const ProblemScore* problem : timed_problems(*score))
      if (*problem->speedup > k_low && *problem->speedup <= k_high) speedups.push_back(*problem->speedup);
    std::sort(speedups.begin(), speedups.end());
    std::string path = fmt::format("M{} {}", coordinate(x(k_low)), coordinate(y(*start)));
    double share = *start;
    for (const double speedup : speedups) {
      share -= 1.0 / score->all.problems;
      path += fmt::format("H{}V{}", coordinate(x(speedup)), coordinate(y(std::max(share, 0.0))));
    }
    path += fmt::format("H{}", coordinate(x(k_high)));
    html.open("path", {{"d", path}, {"class", "curve " + colour_of(i)}});
    html.element("title", input.runs[i]).close("path");
  }
  html.close("svg");
}

void memory_chart(Html& html, const WebInput& input, std::size_t rule) {
  constexpr double k_bottom = 300;
  std::vector<double> speedups, ratios;
  for (std::size_t i = 0; i < input.runs.size(); ++i)
    if (const RunScore* score = score_of(input, rule, i))
      for (const ProblemScore* problem : timed_problems(*score))
        if (problem->memory_ratio) {
          speedups.push_back(*problem->speedup);
          ratios.push_back(*problem->memory_ratio);
        }
  const auto [x_low, x_high] = around_one(speedups);
  const auto [y_low, y_high] = around_one(ratios);
  const Scale x(Scale::Kind::logarithmic, x_low, x_high, k_chart_left, k_chart_right),
      y(Scale::Kind::logarithmic, y_low, y_high, k_bottom, k_chart_top);
  begin_chart(html, "memory", k_bottom + 32, "Speedup and memory of solved problems, by " + input.rules[rule].board.protocol,
               fmt::format("{} solved problems. To the right is faster than PyTorch, above is leaner. The table beside "
                           "counts the four quarters.",
                           speedups.size()));
  log_ticks(html, x, x_low, x_high, k_chart_top, k_bottom);
  for (const double step : k_log_steps) {
    if (!y.holds(step)) continue;
    chart_line(html, k_chart_left, y(step), k_chart_right, y(step), step == 1.0 ? "one" : "grid");
    chart_label(html, k_chart_left - 5, y(step) + 4, fmt::format("{:g}x", step), "end");
  }
  chart_label(html, (k_chart_left + k_chart_right) / 2, k_bottom + 28, "speedup", "middle", "axis");
  chart_label(html, k_chart_left + 4, k_chart_top + 10, "leaner, slower", "start", "corner");
  chart_label(html, k_chart_right - 4, k_chart_top + 10, "leaner, faster", "end", "corner");
  chart_label(html, k_chart_left + 4, k_bottom - 5, "larger, slower", "start", "corner");
  chart_label(html, k_chart_right - 4, k_bottom - 5, "larger, faster", "end", "corner");
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const RunScore* score = score_of(input, rule, i);
    if (!score) continue;
    html.open("g", {{"class", "dots " + colour_of(i)}});
    for (const ProblemScore* problem : timed_problems(*score)) {
      if (!problem->memory_ratio || problem->problem >= input.problems.size()) continue;
      const double cx = x(*problem->speedup), cy = y(*problem->memory_ratio);
      const int level = input.problems[problem->problem].level;
      if (level == 2) {
        html.open("path", {{"d", fmt::format("M{} {}h5v5h-5z", coordinate(cx - 2.5), coordinate(cy - 2.5))}});
      } else if (level == 3) {
        html.open("path", {{"d", fmt::format("M{} {}l3 5.4h-6z", coordinate(cx), coordinate(cy - 3.4))}});
      } else if (level >= 4) {
        html.open("path", {{"d", fmt::format("M{} {}l3 3l-3 3l-3 -3z", coordinate(cx), coordinate(cy - 3))}});
      } else {
        html.open("path",
                  {{"d", fmt::format("M{} {}a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0z", coordinate(cx - 2.6), coordinate(cy))}});
      }
      html.close("path");
    }
    html.close("g");
  }
  html.close("svg");
}

void run_legend(Html& html, const WebInput& input) {
  html.open("ul", {{"class", "legend"}});
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    html.open("li").raw("<svg viewBox=\"0 0 18 10\" aria-hidden=\"true\">");
    html.open("path", {{"d", "M1 5H17"}, {"class", "curve " + colour_of(i)}}).close("path").raw("</svg>");
    html.element("span", cut(input.runs[i], 60)).close("li");
  }
  html.close("ul");
}

}  // namespace kbv
