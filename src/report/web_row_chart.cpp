// SPDX-License-Identifier: MIT
// Charts with a row for each run: one figure of it at several stations, from the lenient one to the strict one.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/text.h"
#include "report/units.h"
#include "report/web_chart.h"
#include "report/web_svg.h"

namespace kbv {
namespace {

struct Station {
  std::string name, style;  ///< the style sheet's
};

/// What is drawn. `value` is asked for each run and station.
struct RowChart {
  std::string id, title;
  WebMetric metric;
  std::vector<Station> stations;
  std::function<std::optional<double>(std::size_t run, std::size_t station)> value;
};

std::string shown(WebMetric metric, const std::optional<double>& value) {
  if (!value) return "none";
  return metric == WebMetric::speedup ? show_factor(*value) : fmt::format("{:.1f} %", 100 * *value);
}

/// What a run loses, from the first station that has a value to the last station.
std::string change(const RowChart& chart, std::size_t run) {
  const std::size_t last = chart.stations.size() - 1;
  std::size_t first = 0;
  while (first < last && !chart.value(run, first)) ++first;
  const std::string end = shown(chart.metric, chart.value(run, last));
  return first == last ? end : shown(chart.metric, chart.value(run, first)) + " \u2192 " + end;
}

void axis(Html& html, const RowChart& chart, const Scale& x, std::pair<double, double> range, double bottom) {
  if (chart.metric == WebMetric::speedup) return log_ticks(html, x, range.first, range.second, k_chart_top, bottom);
  for (int i = 0; i <= 4; ++i) {
    chart_line(html, x(i / 4.0), k_chart_top, x(i / 4.0), bottom, "grid");
    chart_label(html, x(i / 4.0), bottom + 13, fmt::format("{} %", 25 * i), i == 0 ? "start" : i == 4 ? "end" : "middle");
  }
}

void draw_row(Html& html, const RowChart& chart, const Scale& x, std::size_t run, double y) {
  std::optional<double> least, most;
  for (std::size_t station = 0; station < chart.stations.size(); ++station)
    if (const auto value = chart.value(run, station)) {
      least = std::min(least.value_or(*value), *value);
      most = std::max(most.value_or(*value), *value);
    }
  if (!least) return;
  chart_line(html, x(*least), y, x(*most), y, "span");
  for (std::size_t station = 0; station < chart.stations.size(); ++station) {
    const auto value = chart.value(run, station);
    if (!value) continue;
    // Stricter ones are drawn over lenient ones, and smaller: where they agree, both are seen.
    const double radius = 4 + static_cast<double>(chart.stations.size() - 1 - station);
    html.open("circle", {{"cx", coordinate(x(*value))},
                         {"cy", coordinate(y)},
                         {"r", coordinate(radius)},
                         {"class", chart.stations[station].style}});
    html.element("title", fmt::format("{}: {}", chart.stations[station].name, shown(chart.metric, value)));
    html.close("circle");
  }
}

void draw(Html& html, const WebInput& input, const RowChart& chart) {
  constexpr double k_row = 30, k_edge = 12;
  constexpr std::size_t k_name_columns = 34;
  std::vector<double> values;
  std::string description;
  for (std::size_t run = 0; run < input.runs.size(); ++run) {
    description += cut(input.runs[run], 40) + ":";
    for (std::size_t station = 0; station < chart.stations.size(); ++station) {
      const auto value = chart.value(run, station);
      if (value) values.push_back(*value);
      description += fmt::format(" {} {},", chart.stations[station].name, shown(chart.metric, value));
    }
    description.back() = ';';
    description += ' ';
  }
  const auto range = around_one(values);
  const Scale x = chart.metric == WebMetric::speedup
                      ? Scale(Scale::Kind::logarithmic, range.first, range.second, k_edge, k_chart_right)
                      : Scale(Scale::Kind::linear, 0, 1, k_edge, k_chart_right);
  const double bottom = k_chart_top + k_row * static_cast<double>(input.runs.size());
  begin_chart(html, chart.id, bottom + 20, chart.title, description);
  axis(html, chart, x, range, bottom);
  for (std::size_t run = 0; run < input.runs.size(); ++run) {
    const double y = k_chart_top + k_row * static_cast<double>(run) + 20;
    chart_label(html, k_edge, y - 9, cut(input.runs[run], k_name_columns), "start", "name");
    chart_label(html, k_chart_right, y - 9, change(chart, run), "end", "change");
    draw_row(html, chart, x, run, y);
  }
  html.close("svg");
}

std::string id_of(WebMetric metric) {
  return metric == WebMetric::speedup ? "speedup" : metric == WebMetric::correct ? "correct" : "fast";
}

void legend(Html& html, const std::vector<Station>& stations) {
  html.raw("<ul class=\"legend\">");
  for (const Station& station : stations) {
    html.raw("<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\">");
    html.open("circle", {{"cx", "5"}, {"cy", "5"}, {"r", "4.5"}, {"class", station.style}}).close("circle").raw("</svg>");
    html.element("span", station.name).raw("</li>");
  }
  html.raw("</ul>");
}

std::vector<Station> rules_stations(const WebInput& input) {
  std::vector<Station> stations;
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule)
    stations.push_back({input.rules[rule].board.protocol, "p" + rule_style(input, rule)});
  return stations;
}

/// The corners, in the order of Decomposition::cells: baselines, and tests within each.
std::vector<Station> corner_stations(const Leaderboard& board) {
  const auto named = [](const std::string& baseline, const char* tests) {
    return fmt::format("{}, {} tests", baseline, tests);
  };
  return {{named(board.fp32_baseline, "standard"), "p0"},
          {named(board.fp32_baseline, "hidden"), "p3"},
          {named(board.tf32_baseline, "standard"), "p1"},
          {named(board.tf32_baseline, "hidden"), "p2"}};
}

}  // namespace

void rules_legend(Html& html, const WebInput& input) { legend(html, rules_stations(input)); }

void rules_chart(Html& html, const WebInput& input, WebMetric metric) {
  draw(html, input,
       {"rules-" + id_of(metric), std::string(metric_name(metric)) + " of each run under the rules of each protocol",
        metric, rules_stations(input), [&](std::size_t run, std::size_t rule) -> std::optional<double> {
          const RunScore* score = score_of(input, rule, run);
          return score ? score->all.figure(metric_figure(metric)).value : std::nullopt;
        }});
}

void corner_legend(Html& html, const Leaderboard& board) { legend(html, corner_stations(board)); }

void corner_chart(Html& html, const WebInput& input, std::size_t rule, WebMetric metric) {
  const Leaderboard& board = input.rules[rule].board;
  draw(html, input,
       {fmt::format("corner-{}-{}", rule, id_of(metric)),
        std::string(metric_name(metric)) + " of each run with each baseline and under each set of tests", metric,
        corner_stations(board), [&](std::size_t run, std::size_t corner) -> std::optional<double> {
          const RunScore* score = score_of(input, rule, run);
          if (!score || !score->all.decomposition) return std::nullopt;
          const Decomposition::Cell& cell = score->all.decomposition->cells[corner / 2][corner % 2];
          return (metric == WebMetric::speedup   ? cell.speedup
                  : metric == WebMetric::correct ? cell.correct
                                                 : cell.fast_1)
              .value;
        }});
}

}  // namespace kbv
