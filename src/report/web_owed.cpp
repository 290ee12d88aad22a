// SPDX-License-Identifier: MIT
// What a speedup owes to its baseline, to easy inputs and to its tolerance: the tables of `kbv score`, and their chart.
#include <fmt/format.h>

#include <algorithm>

#include "report/web_chart.h"
#include "report/web_sections.h"

namespace kbv {
namespace {

bool has_corners(const Leaderboard& board) {
  return std::any_of(board.runs.begin(), board.runs.end(), [](const RunScore& run) { return run.all.decomposition; });
}

std::string why_no_corners(const Leaderboard& board) {
  return board.protocol == "recorded"
             ? "Not known of recorded results: no sample has both standard results and hidden ones."
             : "Not known: no sample has a verdict with the inputs as given (D1) and with the hidden ones (D1 to D4).";
}

void corners(Html& html, const WebInput& input, std::size_t rule) {
  const Leaderboard& board = input.rules[rule].board;
  html.element("h3", fmt::format("Baseline and hidden tests, over the problems of {}", board.protocol));
  if (!has_corners(board)) {
    html.element("p", why_no_corners(board), {{"class", "why"}});
    return;
  }
  html.element("p",
               fmt::format("The same candidates in four ways: their time against {} (FP32) or {} (TF32), and right by "
                           "standard tests or by hidden ones as well. From {} with standard tests, as KernelBench "
                           "takes it, to {} with hidden ones, as its users would have it: what a run loses on the way "
                           "it owed to a slow baseline or to easy inputs.",
                           board.fp32_baseline, board.tf32_baseline, board.fp32_baseline, board.tf32_baseline),
               {{"class", "hint"}});
  corner_legend(html, board);
  html.raw("<div class=\"panels\">");
  for (const WebMetric metric : {WebMetric::speedup, WebMetric::fast_1, WebMetric::correct}) {
    html.raw("<figure>").element("figcaption", metric_name(metric));
    corner_chart(html, input, rule, metric);
    html.raw("</figure>");
  }
  html.raw("</div>\n");
  table_element(html, decomposition_table(board));
  if (const LeaderboardTable affected = affected_table(board); !affected.rows.empty()) {
    html.element("h3", affected.title);
    html.raw(
        "<p class=\"hint\">How many problems the two corrections reach, and how many both: where few are in "
        "\"both\", neither makes up for the other.</p>\n");
    table_element(html, affected);
  }
}

void tolerances(Html& html, const Leaderboard& board) {
  const LeaderboardTable table = tolerance_table(board);
  html.element("h3", table.title);
  if (table.rows.empty()) {
    html.raw("<p class=\"why\">Not known: no sample has a verdict that could be given again.</p>\n");
    return;
  }
  html.raw(
      "<p class=\"hint\">The same candidates, judged again with a looser and a tighter tolerance. A tighter one takes "
      "slow and fast candidates out alike, so a speedup that rises while fewer are correct is a selection: read both "
      "columns together.</p>\n");
  table_element(html, table);
}

}  // namespace

void owed_section(Html& html, const WebInput& input) {
  if (input.runs.empty() || input.rules.empty()) return;
  html.raw(
      "<section id=\"owed\" aria-labelledby=\"h-owed\"><h2 id=\"h-owed\">What a speedup owes to the rules</h2>\n");
  const std::size_t last = input.rules.size() - 1;
  for (std::size_t rule = 0; rule < last; ++rule)
    if (has_corners(input.rules[rule].board)) corners(html, input, rule);
  corners(html, input, last);
  tolerances(html, input.rules[last].board);
  html.raw("</section>\n");
}

}  // namespace kbv
