// SPDX-License-Identifier: MIT
#include "report/web_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kbv {

double Scale::operator()(double value) const {
  if (std::isnan(value)) return from_;
  const double inside = std::clamp(value, low_, high_);
  const double part =
      kind_ == Kind::linear ? (inside - low_) / (high_ - low_) : std::log(inside / low_) / std::log(high_ / low_);
  return from_ + part * (to_ - from_);
}

std::pair<double, double> around_one(const std::vector<double>& values) {
  double low = 0.5, high = 2;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    const auto above = std::lower_bound(k_log_steps.begin(), k_log_steps.end(), value);
    high = std::max(high, above == k_log_steps.end() ? k_log_steps.back() : *above);
    const auto after = std::upper_bound(k_log_steps.begin(), k_log_steps.end(), value);
    low = std::min(low, after == k_log_steps.begin() ? k_log_steps.front() : *(after - 1));
  }
  return {low, high};
}

std::string coordinate(double value) { return fmt::format("{:.1f}", value); }

void begin_chart(Html& html, const std::string& id, double height, const std::string& title,
                 const std::string& description) {
  html.open("svg", {{"viewBox", fmt::format("0 0 {:.0f} {:.0f}", k_chart_width, height)},
                    {"role", "img"},
                    {"aria-labelledby", id + "-title " + id + "-text"}});
  html.element("title", title, {{"id", id + "-title"}}).element("desc", description, {{"id", id + "-text"}});
}

void chart_line(Html& html, double x1, double y1, double x2, double y2, const std::string& style) {
  html.open("line", {{"x1", coordinate(x1)},
                     {"y1", coordinate(y1)},
                     {"x2", coordinate(x2)},
                     {"y2", coordinate(y2)},
                     {"class", style}})
      .close("line");
}

void chart_label(Html& html, double x, double y, const std::string& text, const std::string& anchor,
                 const std::string& style) {
  html.element("text", text, {{"x", coordinate(x)}, {"y", coordinate(y)}, {"text-anchor", anchor}, {"class", style}});
}

void log_ticks(Html& html, const Scale& scale, double low, double high, double y_top, double y_bottom) {
  for (const double step : k_log_steps) {
    if (step < low || step > high) continue;
    chart_line(html, scale(step), y_top, scale(step), y_bottom, step == 1.0 ? "one" : "grid");
    chart_label(html, scale(step), y_bottom + 13, fmt::format("{:g}x", step), "middle");
  }
}

}  // namespace kbv
