// SPDX-License-Identifier: MIT
// What the page's charts are drawn with. Private to them.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "report/web_text.h"

namespace kbv {

inline constexpr double k_chart_width = 400, k_chart_left = 40, k_chart_right = 388, k_chart_top = 14;

/// Values to a range of coordinates. What lies outside, or is not finite, lands on the nearer edge.
class Scale {
 public:
  enum class Kind { linear, logarithmic };
  Scale(Kind kind, double low, double high, double from, double to)
      : kind_(kind), low_(low), high_(high), from_(from), to_(to) {}
  double operator()(double value) const;
  bool holds(double value) const { return value >= low_ && value <= high_; }

 private:
  Kind kind_;
  double low_, high_, from_, to_;
};

/// Where a logarithmic axis has lines.
inline constexpr std::array k_log_steps{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0};

/// The steps just outside of `values`, at least from 0.5 to 2, at most the smallest and the largest.
std::pair<double, double> around_one(const std::vector<double>& values);

void begin_chart(Html& html, const std::string& id, double height, const std::string& title,
                 const std::string& description);
void chart_line(Html& html, double x1, double y1, double x2, double y2, const std::string& style);
void chart_label(Html& html, double x, double y, const std::string& text, const std::string& anchor,
                 const std::string& style = "tick");
/// Vertical lines at the steps from `low` to `high`, with their names below.
void log_ticks(Html& html, const Scale& scale, double low, double high, double y_top, double y_bottom);

/// A coordinate, as an attribute has it.
std::string coordinate(double value);

}  // namespace kbv
