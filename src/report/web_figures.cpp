// SPDX-License-Identifier: MIT
// Charts, each with its values in a table.
#include <fmt/format.h>

#include "report/web_chart.h"
#include "report/web_sections.h"

namespace kbv {
namespace {

/// In the page's order.
std::vector<const RunScore*> scores_of(const WebInput& input, std::size_t rule) {
  std::vector<const RunScore*> scores;
  for (std::size_t run = 0; run < input.runs.size(); ++run)
    if (const RunScore* score = score_of(input, rule, run)) scores.push_back(score);
  return scores;
}

void faster_table(Html& html, const WebInput& input, std::size_t rule) {
  constexpr const char* k_factors[] = {"0", "0.5", "0.8", "1", "1.5", "2"};
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"small\"><thead><tr><th scope=\"col\">% faster than</th>");
  for (const std::string factor : k_factors)
    html.element("th", factor + "x", {{"scope", "col"}, {"class", "n"}});
  html.raw("</tr></thead><tbody>");
  for (const RunScore* run : scores_of(input, rule)) {
    html.raw("<tr>").element("th", run->run, {{"scope", "row"}});
    for (const std::string factor : k_factors)
      html.element("td", show_share(run->all.figure("fast_" + factor).value), {{"class", "n"}});
    html.raw("</tr>");
  }
  html.raw("</tbody></table></div>");
}

void quarter_table(Html& html, const WebInput& input, std::size_t rule) {
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"small\"><thead><tr><th scope=\"col\">Solved "
      "problems</th><th scope=\"col\" "
      "class=\"n\">leaner, faster</th><th scope=\"col\" class=\"n\">leaner, slower</th><th scope=\"col\" "
      "class=\"n\">larger, "
      "faster</th><th scope=\"col\" class=\"n\">larger, slower</th></tr></thead><tbody>");
  for (const RunScore* run : scores_of(input, rule)) {
    int counts[2][2] = {};
    for (const ProblemScore& problem : run->problems)
      if (problem.counts && problem.best && problem.speedup && problem.memory_ratio)
        ++counts[*problem.memory_ratio > 1 ? 0 : 1][*problem.speedup > 1 ? 0 : 1];
    html.raw("<tr>").element("th", run->run, {{"scope", "row"}});
    for (const auto& row : counts)
      for (const int count : row) html.element("td", std::to_string(count), {{"class", "n"}});
    html.raw("</tr>");
  }
  html.raw("</tbody></table></div><p class=\"hint\">Exactly as fast, or as large, counts as slower, or larger.</p>");
}

}  // namespace

void figures_section(Html& html, const WebInput& input) {
  if (input.runs.empty() || input.rules.empty()) return;
  html.raw(
      "<section id=\"figures\" aria-labelledby=\"h-figures\"><h2 id=\"h-figures\">Figures</h2>\n<h3>From lenient rules "
      "to strict ones</h3>");
  rules_legend(html, input);
  html.raw("<div class=\"panels\">");
  for (const WebMetric metric : {WebMetric::fast_1, WebMetric::speedup, WebMetric::correct}) {
    html.raw("<figure>").element("figcaption", metric_name(metric));
    rules_chart(html, input, metric);
    html.raw("</figure>");
  }
  html.raw("</div>\n<h3>Problems solved faster than a factor, in % of all</h3>");
  run_legend(html, input);
  html.raw("<div class=\"panels\">");
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule) {
    html.raw("<figure>").element("figcaption", input.rules[rule].board.protocol);
    speedup_chart(html, input, rule);
    faster_table(html, input, rule);
    html.raw("</figure>");
  }
  html.raw("</div>\n");
  const std::size_t last = input.rules.size() - 1;
  if (input.rules[last].board.memory) {
    html.open("h3").text("Speedup and memory, by " + input.rules[last].board.protocol).close("h3");
    run_legend(html, input);
    html.raw("<figure class=\"wide\">");
    memory_chart(html, input, last);
    html.raw("<div>");
    quarter_table(html, input, last);
    html.raw(
        "<p class=\"hint\">A point is a solved problem: circles level 1, squares level 2, triangles level 3, diamonds "
        "beyond. The problems below have "
        "the values.</p></div></figure>");
  }
  if (const LeaderboardTable table = distribution_table(input.rules[last].board); !table.rows.empty()) {
    html.element("h3", "Wrong outputs by the inputs, by " + input.rules[last].board.protocol);
    table_element(html, table);
    html.raw(
        "<p class=\"hint\">D1: inputs as the problem makes them; D2, D3, D4: those times 3, 0.01 and -1.</p>");
  }
  html.raw("</section>\n");
}

}  // namespace kbv
