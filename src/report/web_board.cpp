// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <set>

#include "report/units.h"
#include "report/web_chart.h"
#include "report/web_sections.h"

namespace kbv {
namespace {

std::string figure_title(const Figure& figure, bool share) {
  std::string title = fmt::format("{} problems count", figure.problems);
  if (!figure.interval) return title;
  const auto [low, high] = *figure.interval;
  return title + (share ? fmt::format("; 95 % interval {:.1f} to {:.1f} %", 100 * low, 100 * high)
                        : fmt::format("; 95 % interval {}", show_range(low, high)));
}

/// One group of columns of the leaderboard.
struct Column {
  Markup name;
  const char* figure;  ///< NamedFigure::name
  bool share, memory;
};
constexpr Column k_columns[] = {{"Fast@1, %", "fast_1", true, false},
                                {"Correct speedup", "speedup", false, false},
                                {"Correct, %", "correct", true, false},
                                {"Memory efficiency", "memory_efficiency", false, true},
                                {"Memory efficient, %", "memory_efficient", true, true}};

std::vector<std::size_t> rules_of(const WebInput& input, const Column& column) {
  std::vector<std::size_t> rules;
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule)
    if (!column.memory || input.rules[rule].board.memory) rules.push_back(rule);
  return rules;
}

std::vector<int> levels_of(const WebInput& input) {
  std::set<int> levels;
  for (const WebRules& rules : input.rules)
    for (const RunScore& run : rules.board.runs)
      for (const GroupScore& group : run.levels) levels.insert(group.level);
  std::vector<int> shown(levels.begin(), levels.end());
  if (shown.size() > 1) shown.insert(shown.begin(), 0);  // one level is all there is
  return shown;
}

void level_section(Html& html, const WebInput& input, int level) {
  html.open("section", {{"class", "level"}, {"data-level", std::to_string(level)}});
  html.element("h3", level_title(level));
  html.raw("<div class=\"scroll\" tabindex=\"0\"><table class=\"board sortable\"><thead><tr>");
  html.raw(
      "<th scope=\"col\" rowspan=\"2\" class=\"pin\">Run</th><th scope=\"col\" rowspan=\"2\" "
      "class=\"n\">Problems</th>");
  for (const Column& column : k_columns)
    if (const auto rules = rules_of(input, column); !rules.empty())
      html.element("th", column.name.text(),
                   {{"scope", "colgroup"}, {"class", "group"}, {"colspan", std::to_string(rules.size())}});
  html.raw("</tr><tr>");
  for (const Column& column : k_columns)
    for (const std::size_t rule : rules_of(input, column))
      html.element("th", input.rules[rule].board.protocol,
                   {{"scope", "col"},
                    {"class", fmt::format("n r{}{}", rule_style(input, rule),
                                          rule == rules_of(input, column).front() ? " first" : "")},
                    {"title", input.rules[rule].title}});
  html.raw("</tr></thead><tbody>");
  for (std::size_t run = 0; run < input.runs.size(); ++run) {
    const GroupScore* last = group_of(input, input.rules.size() - 1, run, level);
    if (!last) continue;
    html.raw("<tr>").element("th", input.runs[run], {{"scope", "row"}, {"class", "pin"}});
    html.element("td", std::to_string(last->problems),
                 {{"class", "n"},
                  {"title", fmt::format("{} samples; {} problems without a verdict do not count", last->samples,
                                        last->without_verdict)}});
    for (const Column& column : k_columns)
      for (const std::size_t rule : rules_of(input, column)) {
        const GroupScore* group = group_of(input, rule, run, level);
        const Figure none, &figure = group ? group->figure(column.figure) : none;
        html.element("td",
                     column.share   ? show_share(figure.value)
                     : figure.value ? show_factor(*figure.value)
                                    : "-",
                     {{"class", fmt::format("n r{}{}", rule_style(input, rule),
                                            rule == rules_of(input, column).front() ? " first" : "")},
                      {"data-v", figure.value ? fmt::format("{:.6g}", *figure.value) : ""},
                      {"title", figure_title(figure, column.share)}});
      }
    html.raw("</tr>");
  }
  html.raw("</tbody></table></div></section>\n");
}

}  // namespace

void leaderboard_section(Html& html, const WebInput& input) {
  html.raw("<section id=\"leaderboard\" aria-labelledby=\"h-board\"><h2 id=\"h-board\">Leaderboard</h2>\n");
  html.raw(
      "<p class=\"hint\">Each figure under the rules of each protocol, from lenient to strict: what a run loses from "
      "left to right, it "
      "owed to the rules.</p><div id=\"levels\" class=\"choices\" hidden></div>\n");
  for (const int level : levels_of(input)) level_section(html, input, level);
  html.raw("<details class=\"key\" open><summary>What the figures mean</summary><dl>");
  html.raw(
      "<dt>Fast@1</dt><dd>Share of all problems whose fastest correct candidate is faster than PyTorch.</dd>"
      "<dt>Correct speedup</dt><dd>Geometric mean of PyTorch's time / the candidate's, over solved problems, of the "
      "fastest correct one. Above 1 is "
      "faster. A run that solves less may have more of it: read it beside Correct.</dd>"
      "<dt>Correct</dt><dd>Share of all problems with at least one correct candidate.</dd>"
      "<dt>Memory efficiency</dt><dd>Geometric mean of PyTorch's peak memory / the candidate's, over solved problems. "
      "Above 1 is leaner.</dd>"
      "<dt>Memory efficient</dt><dd>Share of all problems whose fastest correct candidate peaks lower than "
      "PyTorch.</dd>");
  for (const WebRules& rules : input.rules) {
    const Leaderboard& board = rules.board;
    html.element("dt", board.protocol).open("dd").text(rules.title);
    if (!board.baseline.empty()) html.text(fmt::format(". Speedup over {}", board.baseline));
    if (!board.statistic.empty()) html.text(fmt::format(" ({})", board.statistic));
    html.text(".").close("dd");
  }
  html.raw("</dl></details></section>\n");
}

}  // namespace kbv
