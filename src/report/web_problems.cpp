// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>

#include "report/units.h"
#include "report/web_sections.h"

namespace kbv {
namespace {

void best_cell(Html& html, const ProblemScore* score, std::int64_t candidate) {
  if (!score || score->samples == 0) {
    html.raw("<td data-v=\"\"></td>");
    return;
  }
  const std::string shown = !score->best ? score->code : score->speedup ? show_factor(*score->speedup) : "correct";
  const std::string style = !score->best ? "n code" : !score->speedup ? "n" : *score->speedup > 1 ? "n good" : "n slow";
  html.open("td", {{"class", style},
                   {"data-v", score->best && score->speedup ? fmt::format("{:.6g}", *score->speedup) : ""}});
  if (candidate > 0)
    html.candidate_link(candidate, shown);
  else
    html.text(shown);
  html.close("td");
}

}  // namespace

void problems_section(Html& html, const WebInput& input) {
  const std::size_t last = input.rules.empty() ? 0 : input.rules.size() - 1;
  html.raw("<section id=\"problems\" aria-labelledby=\"h-problems\"><h2 id=\"h-problems\">Problems</h2>\n");
  html.raw("<p class=\"hint\" id=\"problems-hint\">Each run's fastest correct candidate, by ")
      .text(input.rules.empty() ? "no rules" : input.rules[last].board.protocol);
  html.raw(
      "; where there is none, why.</p>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\" "
      "id=\"problem-table\"><thead><tr><th scope=\"col\" "
      "class=\"n\">Level</th><th scope=\"col\" class=\"n\">No.</th><th scope=\"col\" class=\"pin\">Problem</th>");
  for (const std::string& run : input.runs) html.element("th", run, {{"scope", "col"}, {"class", "n run"}});
  html.raw("</tr></thead><tbody>\n");
  const CandidateIds ids(input);
  std::vector<std::map<std::size_t, const ProblemScore*>> scores(input.runs.size());
  for (std::size_t i = 0; i < input.runs.size(); ++i)
    if (const RunScore* run = score_of(input, last, i))
      for (const ProblemScore& one : run->problems) scores[i][one.problem] = &one;
  for (std::size_t p = 0; p < input.problems.size(); ++p) {
    const WebProblem& problem = input.problems[p];
    html.open("tr", {{"data-p", std::to_string(p)}});
    html.element("td", std::to_string(problem.level), {{"class", "n"}})
        .element("td", std::to_string(problem.number), {{"class", "n"}});
    html.open("th", {{"scope", "row"}, {"class", "pin"}}).text(problem.name);
    if (!problem.note.empty()) html.raw(" ").element("span", "note", {{"class", "tag"}, {"title", problem.note}});
    html.close("th");
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
      const auto found = scores[i].find(p);
      const ProblemScore* score = found == scores[i].end() ? nullptr : found->second;
      best_cell(html, score, score ? ids.of(i, *score) : 0);
    }
    html.raw("</tr>\n");
  }
  html.raw("</tbody></table></div></section>\n");
}

}  // namespace kbv
