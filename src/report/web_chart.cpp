// SPDX-License-Identifier: MIT
#include "report/web_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text.h"
#include "report/units.h"

namespace kbv {
namespace {

constexpr double k_width = 400, k_left = 40, k_right = 388, k_top = 14;
constexpr std::size_t k_colours = 8;  // of the style sheet; runs beyond them have the same again, dashed

/// Figures have no room for a candidate's idea of a name.
std::string short_name(const std::string& name, std::size_t columns) { return cut(name, columns); }

std::string at(double value) { return fmt::format("{:.1f}", value); }

/// Values to a range of coordinates. What lies outside, or is not finite, lands on the nearer edge.
class Scale {
 public:
  enum class Kind { linear, logarithmic };
  Scale(Kind kind, double low, double high, double from, double to)
      : kind_(kind), low_(low), high_(high), from_(from), to_(to) {}
  double operator()(double value) const {
    if (std::isnan(value)) return from_;
    const double inside = std::clamp(value, low_, high_);
    const double part =
        kind_ == Kind::linear ? (inside - low_) / (high_ - low_) : std::log(inside / low_) / std::log(high_ / low_);
    return from_ + part * (to_ - from_);
  }
  bool holds(double value) const { return value >= low_ && value <= high_; }

 private:
  Kind kind_;
  double low_, high_, from_, to_;
};

constexpr std::array k_steps{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0};

/// The steps just outside of `values`, at least from 0.5 to 2, at most the smallest and the largest.
std::pair<double, double> around_one(const std::vector<double>& values) {
  double low = 0.5, high = 2;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    const auto above = std::lower_bound(k_steps.begin(), k_steps.end(), value);
    high = std::max(high, above == k_steps.end() ? k_steps.back() : *above);
    const auto after = std::upper_bound(k_steps.begin(), k_steps.end(), value);
    low = std::min(low, after == k_steps.begin() ? k_steps.front() : *(after - 1));
  }
  return {low, high};
}

void begin_figure(Html& html, const std::string& id, double height, const std::string& title,
                  const std::string& description) {
  html.open("svg", {{"viewBox", fmt::format("0 0 {:.0f} {:.0f}", k_width, height)},
                    {"role", "img"},
                    {"aria-labelledby", id + "-title " + id + "-text"}});
  html.element("title", title, {{"id", id + "-title"}}).element("desc", description, {{"id", id + "-text"}});
}

void line(Html& html, double x1, double y1, double x2, double y2, const std::string& style) {
  html.open("line", {{"x1", at(x1)}, {"y1", at(y1)}, {"x2", at(x2)}, {"y2", at(y2)}, {"class", style}}).close("line");
}

void label(Html& html, double x, double y, const std::string& text, const std::string& anchor,
           const std::string& style = "tick") {
  html.element("text", text, {{"x", at(x)}, {"y", at(y)}, {"text-anchor", anchor}, {"class", style}});
}

std::string colour_of(std::size_t run) {
  return fmt::format("s{}{}", run % k_colours, run / k_colours % 2 == 1 ? " dashed" : "");
}

const WebFigure& figure_of(const WebGroup& group, WebMetric metric) {
  return metric == WebMetric::correct ? group.correct : metric == WebMetric::speedup ? group.speedup : group.fast_1;
}

void log_ticks(Html& html, const Scale& scale, double low, double high, double y_top, double y_bottom) {
  for (const double step : k_steps) {
    if (step < low || step > high) continue;
    line(html, scale(step), y_top, scale(step), y_bottom, step == 1.0 ? "one" : "grid");
    label(html, scale(step), y_bottom + 13, fmt::format("{:g}x", step), "middle");
  }
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

std::optional<double> share_faster(const WebRunScore& score, double factor) {
  if (score.groups.empty() || score.groups.front().problems <= 0) return std::nullopt;
  const auto faster = std::count_if(score.best.begin(), score.best.end(), [&](const WebBest& best) {
    return best.counts && best.correct && best.speedup && *best.speedup > factor;
  });
  return static_cast<double>(faster) / score.groups.front().problems;
}

void rules_chart(Html& html, const WebInput& input, WebMetric metric) {
  constexpr double k_row = 30;
  const bool factor = metric == WebMetric::speedup;
  const std::string name = metric_name(metric);
  std::vector<double> values;
  std::string description;
  for (const WebRun& run : input.runs) {
    description += short_name(run.name, 40) + ":";
    for (std::size_t rule = 0; rule < run.under.size(); ++rule) {
      if (run.under[rule].groups.empty()) continue;
      const auto& value = figure_of(run.under[rule].groups.front(), metric).value;
      if (value) values.push_back(*value);
      const std::string shown = !value ? "none" : factor ? show_factor(*value) : fmt::format("{:.1f} %", 100 * *value);
      description += fmt::format(" {} {},", input.rules[rule].name, shown);
    }
    description.back() = ';';
    description += ' ';
  }
  const auto [low, high] = around_one(values);
  const Scale x =
      factor ? Scale(Scale::Kind::logarithmic, low, high, 12, k_right) : Scale(Scale::Kind::linear, 0, 1, 12, k_right);
  const double bottom = k_top + k_row * static_cast<double>(input.runs.size());
  begin_figure(html,
               "rules-" + std::string(factor                         ? "speedup"
                                      : metric == WebMetric::correct ? "correct"
                                                                     : "fast"),
               bottom + 20, name + " of each run under the rules of each protocol", description);
  if (factor)
    log_ticks(html, x, low, high, k_top, bottom);
  else
    for (int i = 0; i <= 4; ++i) {
      line(html, x(i / 4.0), k_top, x(i / 4.0), bottom, "grid");
      label(html, x(i / 4.0), bottom + 13, fmt::format("{} %", 25 * i), i == 0 ? "start" : i == 4 ? "end" : "middle");
    }
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const WebRun& run = input.runs[i];
    const double y = k_top + k_row * static_cast<double>(i) + 20;
    label(html, 12, y - 9, short_name(run.name, 56), "start", "name");
    std::optional<double> least, most;
    for (const WebRunScore& score : run.under)
      if (!score.groups.empty())
        if (const auto& value = figure_of(score.groups.front(), metric).value) {
          least = std::min(least.value_or(*value), *value);
          most = std::max(most.value_or(*value), *value);
        }
    if (!least) continue;
    line(html, x(*least), y, x(*most), y, "span");
    for (std::size_t rule = 0; rule < run.under.size(); ++rule) {
      if (run.under[rule].groups.empty()) continue;
      const auto& value = figure_of(run.under[rule].groups.front(), metric).value;
      if (!value) continue;
      // Stricter rules are drawn over lenient ones, and smaller: where they agree, both are seen.
      const double radius = 4 + static_cast<double>(run.under.size() - 1 - rule);
      html.open("circle",
                {{"cx", at(x(*value))}, {"cy", at(y)}, {"r", at(radius)}, {"class", "p" + rule_style(input, rule)}});
      html.element("title", fmt::format("{}: {}", input.rules[rule].name,
                                        factor ? show_factor(*value) : fmt::format("{:.1f} %", 100 * *value)));
      html.close("circle");
    }
  }
  html.close("svg");
}

void speedup_chart(Html& html, const WebInput& input, std::size_t rule) {
  constexpr double k_low = 0.1, k_high = 10, k_bottom = 220;
  const Scale x(Scale::Kind::logarithmic, k_low, k_high, k_left, k_right),
      y(Scale::Kind::linear, 0, 1, k_bottom, k_top);
  begin_figure(html, fmt::format("cdf-{}", rule), k_bottom + 32,
               "Share of problems solved faster than a factor, by " + input.rules[rule].name,
               "One falling line a run: of all problems that count, the share whose fastest correct candidate is "
               "faster than the factor "
               "below. The table beside has the values.");
  for (int i = 0; i <= 4; ++i) {
    line(html, k_left, y(i / 4.0), k_right, y(i / 4.0), "grid");
    label(html, k_left - 5, y(i / 4.0) + 4, fmt::format("{} %", 25 * i), "end");
  }
  log_ticks(html, x, k_low, k_high, k_top, k_bottom);
  label(html, (k_left + k_right) / 2, k_bottom + 28, "speedup", "middle", "axis");
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    if (rule >= input.runs[i].under.size()) continue;
    const WebRunScore& score = input.runs[i].under[rule];
    const auto start = share_faster(score, k_low);
    if (!start) continue;
    std::vector<double> speedups;
    for (const WebBest& best : score.best)
      if (best.counts && best.correct && best.speedup && *best.speedup > k_low && *best.speedup <= k_high)
        speedups.push_back(*best.speedup);
    std::sort(speedups.begin(), speedups.end());
    std::string path = fmt::format("M{} {}", at(x(k_low)), at(y(*start)));
    double share = *start;
    for (const double speedup : speedups) {
      share -= 1.0 / score.groups.front().problems;
      path += fmt::format("H{}V{}", at(x(speedup)), at(y(std::max(share, 0.0))));
    }
    path += fmt::format("H{}", at(x(k_high)));
    html.open("path", {{"d", path}, {"class", "curve " + colour_of(i)}});
    html.element("title", input.runs[i].name).close("path");
  }
  html.close("svg");
}

void memory_chart(Html& html, const WebInput& input, std::size_t rule) {
  constexpr double k_bottom = 300;
  std::vector<double> speedups, ratios;
  for (const WebRun& run : input.runs)
    if (rule < run.under.size())
      for (const WebBest& best : run.under[rule].best)
        if (best.counts && best.correct && best.speedup && best.memory) {
          speedups.push_back(*best.speedup);
          ratios.push_back(*best.memory);
        }
  const auto [x_low, x_high] = around_one(speedups);
  const auto [y_low, y_high] = around_one(ratios);
  const Scale x(Scale::Kind::logarithmic, x_low, x_high, k_left, k_right),
      y(Scale::Kind::logarithmic, y_low, y_high, k_bottom, k_top);
  begin_figure(html, "memory", k_bottom + 32, "Speedup and memory of solved problems, by " + input.rules[rule].name,
               fmt::format("{} solved problems. To the right is faster than PyTorch, above is leaner. The table beside "
                           "counts the four quarters.",
                           speedups.size()));
  log_ticks(html, x, x_low, x_high, k_top, k_bottom);
  for (const double step : k_steps) {
    if (!y.holds(step)) continue;
    line(html, k_left, y(step), k_right, y(step), step == 1.0 ? "one" : "grid");
    label(html, k_left - 5, y(step) + 4, fmt::format("{:g}x", step), "end");
  }
  label(html, (k_left + k_right) / 2, k_bottom + 28, "speedup", "middle", "axis");
  label(html, k_left + 4, k_top + 10, "leaner, slower", "start", "corner");
  label(html, k_right - 4, k_top + 10, "leaner, faster", "end", "corner");
  label(html, k_left + 4, k_bottom - 5, "larger, slower", "start", "corner");
  label(html, k_right - 4, k_bottom - 5, "larger, faster", "end", "corner");
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    if (rule >= input.runs[i].under.size()) continue;
    html.open("g", {{"class", "dots " + colour_of(i)}});
    for (const WebBest& best : input.runs[i].under[rule].best) {
      if (!best.counts || !best.correct || !best.speedup || !best.memory || best.problem >= input.problems.size())
        continue;
      const double cx = x(*best.speedup), cy = y(*best.memory);
      const int level = input.problems[best.problem].level;
      if (level == 2) {
        html.open("path", {{"d", fmt::format("M{} {}h5v5h-5z", at(cx - 2.5), at(cy - 2.5))}});
      } else if (level == 3) {
        html.open("path", {{"d", fmt::format("M{} {}l3 5.4h-6z", at(cx), at(cy - 3.4))}});
      } else if (level >= 4) {
        html.open("path", {{"d", fmt::format("M{} {}l3 3l-3 3l-3 -3z", at(cx), at(cy - 3))}});
      } else {
        html.open("path",
                  {{"d", fmt::format("M{} {}a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0z", at(cx - 2.6), at(cy))}});
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
    html.element("span", short_name(input.runs[i].name, 60)).close("li");
  }
  html.close("ul");
}

}  // namespace kbv
