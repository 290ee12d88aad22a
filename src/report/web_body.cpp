// SPDX-License-Identifier: MIT
// What a reader sees at once, and the index that the page's script searches.
#include <fmt/format.h>

#include "report/web_page.h"
#include "report/web_sections.h"

namespace kbv {

std::string level_title(int level) { return level == 0 ? "All levels" : fmt::format("Level {}", level); }

std::string show_share(const std::optional<double>& share) { return share ? fmt::format("{:.1f}", 100 * *share) : "-"; }

void table_element(Html& html, const LeaderboardTable& table) {
  const auto style = [&](std::size_t column) { return table.align[column] == Align::right ? "n" : ""; };
  html.raw("<div class=\"scroll\" tabindex=\"0\"><table class=\"small names\"><thead><tr>");
  for (std::size_t i = 0; i < table.headers.size(); ++i)
    html.element("th", table.headers[i], {{"scope", "col"}, {"class", style(i)}});
  html.raw("</tr></thead><tbody>\n");
  for (const auto& row : table.rows) {
    html.raw("<tr>");
    for (std::size_t i = 0; i < row.size(); ++i) html.element("td", row[i], {{"class", style(i)}});
    html.raw("</tr>\n");
  }
  html.raw("</tbody></table></div>\n");
  for (const std::string& remark : table.remarks) html.element("p", remark + ".", {{"class", "hint"}});
}

std::string web_body(const WebInput& input) {
  Html html;
  html.raw("<body>\n<a class=\"skip\" href=\"#leaderboard\">To the leaderboard</a>\n<header><div class=\"bar\">")
      .element("h1", input.title);
  html.raw(
      "<nav aria-label=\"Sections\"><a href=\"#leaderboard\">Leaderboard</a><a href=\"#figures\">Figures</a>"
      "<a href=\"#owed\">Deflation</a><a href=\"#problems\">Problems</a>"
      "<a href=\"#candidates\">Candidates</a></nav><button type=\"button\" id=\"theme\" "
      "hidden>Dark</button></div>\n<div id=\"facts\"><dl class=\"facts\">");
  for (const auto& [name, value] : input.facts)
    html.raw("<div>").element("dt", name).element("dd", value).raw("</div>");
  html.raw("</dl>\n");
  if (!input.notes.empty()) {
    html.raw("<ul class=\"notes\">");
    for (const std::string& note : input.notes) html.element("li", note);
    html.raw("</ul>\n");
  }
  html.raw("</div></header>\n<main id=\"main\">\n<div id=\"overview\">\n");
  leaderboard_section(html, input);
  figures_section(html, input);
  owed_section(html, input);
  html.raw("<div id=\"filters\" hidden></div>\n");
  problems_section(html, input);
  html.raw(
      "<section id=\"candidates\" aria-labelledby=\"h-candidates\"><h2 id=\"h-candidates\">Candidates</h2>\n"
      "<noscript><p>The list of candidates, their details and sources are shown by this page's script. Without it, "
      "<code>kbv show CAMPAIGN</code> lists them, and <code>kbv show CAMPAIGN ID</code> has all of one.</p></noscript>\n"
      "<div id=\"candidate-list\"></div></section>\n</div>\n<article id=\"candidate\" hidden></article>\n</main>\n");
  html.data("index", "", index_data(input));
  return html.take();
}

}  // namespace kbv
