// SPDX-License-Identifier: MIT
// What a reader sees at once: the leaderboard, figures, problems; and the index that the page's script searches.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/units.h"
#include "report/web_chart.h"
#include "report/web_page.h"

namespace kbv {
namespace {

std::string level_name(int level) { return level == 0 ? "All levels" : fmt::format("Level {}", level); }

std::string show_share(const std::optional<double>& share) { return share ? fmt::format("{:.1f}", 100 * *share) : "-"; }

std::string figure_title(const WebFigure& figure, bool share) {
  std::string title = fmt::format("{} problems count", figure.problems);
  if (figure.low && figure.high)
    title += share ? fmt::format("; 95 % interval {:.1f} to {:.1f} %", 100 * *figure.low, 100 * *figure.high)
                   : fmt::format("; 95 % interval {}", show_range(*figure.low, *figure.high));
  return title;
}

/// One group of columns of the leaderboard.
struct Column {
  Markup name;
  const WebFigure WebGroup::* figure;
  bool share, memory;
};
constexpr Column k_columns[] = {{"Fast@1, %", &WebGroup::fast_1, true, false},
                                {"Correct speedup", &WebGroup::speedup, false, false},
                                {"Correct, %", &WebGroup::correct, true, false},
                                {"Memory efficiency", &WebGroup::memory, false, true},
                                {"Memory efficient, %", &WebGroup::memory_efficient, true, true}};

std::vector<std::size_t> rules_of(const WebInput& input, const Column& column) {
  std::vector<std::size_t> rules;
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule)
    if (!column.memory || input.rules[rule].memory) rules.push_back(rule);
  return rules;
}

const WebGroup* group_of(const WebRun& run, std::size_t rule, int level) {
  if (rule >= run.under.size()) return nullptr;
  const auto& groups = run.under[rule].groups;
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const WebGroup& group) { return group.level == level; });
  return found == groups.end() ? nullptr : &*found;
}

void leaderboard_table(Html& html, const WebInput& input, int level) {
  html.open("section", {{"class", "level"}, {"data-level", std::to_string(level)}});
  html.element("h3", level_name(level));
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
      html.element("th", input.rules[rule].name,
                   {{"scope", "col"},
                    {"class", fmt::format("n r{}{}", rule_style(input, rule),
                                          rule == rules_of(input, column).front() ? " first" : "")},
                    {"title", input.rules[rule].title}});
  html.raw("</tr></thead><tbody>");
  for (const WebRun& run : input.runs) {
    const WebGroup* last = group_of(run, input.rules.empty() ? 0 : input.rules.size() - 1, level);
    if (!last) continue;
    html.raw("<tr>").element("th", run.name, {{"scope", "row"}, {"class", "pin"}});
    html.element("td", std::to_string(last->problems),
                 {{"class", "n"},
                  {"title", fmt::format("{} samples; {} problems without a verdict do not count", last->samples,
                                        last->without_verdict)}});
    for (const Column& column : k_columns)
      for (const std::size_t rule : rules_of(input, column)) {
        const WebGroup* group = group_of(run, rule, level);
        const WebFigure none, &figure = group ? group->*column.figure : none;
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

void leaderboard(Html& html, const WebInput& input) {
  html.raw("<section id=\"leaderboard\" aria-labelledby=\"h-board\"><h2 id=\"h-board\">Leaderboard</h2>\n");
  html.raw(
      "<p class=\"hint\">Each figure under the rules of each protocol, from lenient to strict: what a run loses from "
      "left to right, it "
      "owed to the rules.</p><div id=\"levels\" class=\"choices\" hidden></div>\n");
  std::vector<int> levels;
  for (const WebRun& run : input.runs)
    for (const WebRunScore& score : run.under)
      for (const WebGroup& group : score.groups) levels.push_back(group.level);
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (levels.size() == 2) levels.erase(levels.begin());  // one level is all there is
  for (const int level : levels) leaderboard_table(html, input, level);
  html.raw("<details class=\"key\"><summary>What the figures mean</summary><dl>");
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
    html.element("dt", rules.name).open("dd").text(rules.title);
    if (!rules.baseline.empty()) html.text(fmt::format(". Speedup over {}", rules.baseline));
    if (!rules.statistic.empty()) html.text(fmt::format(" ({})", rules.statistic));
    html.text(".").close("dd");
  }
  html.raw("</dl></details></section>\n");
}

void faster_table(Html& html, const WebInput& input, std::size_t rule) {
  constexpr double k_factors[] = {0, 0.5, 0.8, 1, 1.5, 2};
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"small\"><thead><tr><th scope=\"col\">Faster than, % of "
      "problems</th>");
  for (const double factor : k_factors)
    html.element("th", fmt::format("{:g}x", factor), {{"scope", "col"}, {"class", "n"}});
  html.raw("</tr></thead><tbody>");
  for (const WebRun& run : input.runs) {
    if (rule >= run.under.size()) continue;
    html.raw("<tr>").element("th", run.name, {{"scope", "row"}});
    for (const double factor : k_factors)
      html.element("td", show_share(share_faster(run.under[rule], factor)), {{"class", "n"}});
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
  for (const WebRun& run : input.runs) {
    if (rule >= run.under.size()) continue;
    int counts[2][2] = {};
    for (const WebBest& best : run.under[rule].best)
      if (best.counts && best.correct && best.speedup && best.memory)
        ++counts[*best.memory > 1 ? 0 : 1][*best.speedup > 1 ? 0 : 1];
    html.raw("<tr>").element("th", run.name, {{"scope", "row"}});
    for (const auto& row : counts)
      for (const int count : row) html.element("td", std::to_string(count), {{"class", "n"}});
    html.raw("</tr>");
  }
  html.raw("</tbody></table></div><p class=\"hint\">Exactly as fast, or as large, counts as slower, or larger.</p>");
}

void distribution_table(Html& html, const WebInput& input, std::size_t rule) {
  std::vector<std::string> names;
  for (const WebRun& run : input.runs)
    if (rule < run.under.size() && !run.under[rule].groups.empty())
      for (const WebDistribution& one : run.under[rule].groups.front().distributions)
        if (std::find(names.begin(), names.end(), one.name) == names.end()) names.push_back(one.name);
  if (names.empty()) return;
  html.raw(
      "<h3>Wrong outputs by the inputs</h3><div class=\"scroll\" tabindex=\"0\"><table class=\"small\"><thead><tr><th "
      "scope=\"col\">% of samples "
      "that were called</th>");
  for (const std::string& name : names) html.element("th", name, {{"scope", "col"}, {"class", "n"}});
  html.raw("</tr></thead><tbody>");
  for (const WebRun& run : input.runs) {
    if (rule >= run.under.size() || run.under[rule].groups.empty()) continue;
    html.raw("<tr>").element("th", run.name, {{"scope", "row"}});
    for (const std::string& name : names) {
      std::string shown = "-", title;
      for (const WebDistribution& one : run.under[rule].groups.front().distributions)
        if (one.name == name && one.tried > 0) {
          shown = fmt::format("{:.1f}", 100.0 * one.failed / one.tried);
          title = fmt::format("{} of {} samples", one.failed, one.tried);
        }
      html.element("td", shown, {{"class", "n"}, {"title", title}});
    }
    html.raw("</tr>");
  }
  html.raw(
      "</tbody></table></div><p class=\"hint\">D1: inputs as the problem makes them; D2, D3, D4: those times 3, 0.01 "
      "and -1.</p>");
}

void figures(Html& html, const WebInput& input) {
  if (input.runs.empty() || input.rules.empty()) return;
  html.raw(
      "<section id=\"figures\" aria-labelledby=\"h-figures\"><h2 id=\"h-figures\">Figures</h2>\n<h3>From lenient rules "
      "to strict ones</h3><ul class=\"legend\">");
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule) {
    html.raw("<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\">");
    html.open("circle", {{"cx", "5"}, {"cy", "5"}, {"r", "4.5"}, {"class", "p" + rule_style(input, rule)}})
        .close("circle")
        .raw("</svg>");
    html.element("span", input.rules[rule].name).raw("</li>");
  }
  html.raw("</ul><div class=\"panels\">");
  for (const WebMetric metric : {WebMetric::fast_1, WebMetric::speedup, WebMetric::correct}) {
    html.raw("<figure>").element("figcaption", metric_name(metric));
    rules_chart(html, input, metric);
    html.raw("</figure>");
  }
  html.raw("</div>\n<h3>Problems solved faster than a factor</h3>");
  run_legend(html, input);
  html.raw("<div class=\"panels\">");
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule) {
    html.raw("<figure>").element("figcaption", input.rules[rule].name);
    speedup_chart(html, input, rule);
    faster_table(html, input, rule);
    html.raw("</figure>");
  }
  html.raw("</div>\n");
  const std::size_t last = input.rules.size() - 1;
  if (input.rules[last].memory) {
    html.open("h3").text("Speedup and memory, by " + input.rules[last].name).close("h3");
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
  distribution_table(html, input, last);
  html.raw("</section>\n");
}

void best_cell(Html& html, const WebBest* best) {
  if (!best) {
    html.raw("<td data-v=\"\"></td>");
    return;
  }
  const std::string shown = !best->correct ? best->code : best->speedup ? show_factor(*best->speedup) : "correct";
  const std::string style = !best->correct ? "n code" : !best->speedup ? "n" : *best->speedup > 1 ? "n good" : "n slow";
  html.open("td", {{"class", style},
                   {"data-v", best->correct && best->speedup ? fmt::format("{:.6g}", *best->speedup) : ""}});
  if (best->candidate > 0)
    html.candidate_link(best->candidate, shown);
  else
    html.text(shown);
  html.close("td");
}

void problems(Html& html, const WebInput& input) {
  const std::size_t last = input.rules.empty() ? 0 : input.rules.size() - 1;
  html.raw("<section id=\"problems\" aria-labelledby=\"h-problems\"><h2 id=\"h-problems\">Problems</h2>\n");
  html.raw("<p class=\"hint\" id=\"problems-hint\">Each run's fastest correct candidate, by ")
      .text(input.rules.empty() ? "no rules" : input.rules[last].name);
  html.raw(
      "; where there is none, why.</p>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\" "
      "id=\"problem-table\"><thead><tr><th scope=\"col\" "
      "class=\"n\">Level</th><th scope=\"col\" class=\"n\">No.</th><th scope=\"col\" class=\"pin\">Problem</th>");
  for (const WebRun& run : input.runs) html.element("th", run.name, {{"scope", "col"}, {"class", "n run"}});
  html.raw("</tr></thead><tbody>\n");
  std::vector<std::map<std::size_t, const WebBest*>> best(input.runs.size());
  for (std::size_t i = 0; i < input.runs.size(); ++i)
    if (last < input.runs[i].under.size())
      for (const WebBest& one : input.runs[i].under[last].best) best[i][one.problem] = &one;
  for (std::size_t p = 0; p < input.problems.size(); ++p) {
    const WebProblem& problem = input.problems[p];
    html.open("tr", {{"data-p", std::to_string(p)}});
    html.element("td", std::to_string(problem.level), {{"class", "n"}})
        .element("td", std::to_string(problem.number), {{"class", "n"}});
    html.open("th", {{"scope", "row"}, {"class", "pin"}}).text(problem.name);
    if (!problem.note.empty()) html.raw(" ").element("span", "note", {{"class", "tag"}, {"title", problem.note}});
    html.close("th");
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
      const auto found = best[i].find(p);
      best_cell(html, found == best[i].end() ? nullptr : found->second);
    }
    html.raw("</tr>\n");
  }
  html.raw("</tbody></table></div></section>\n");
}

/// Texts of a few kinds, by number.
class Names {
 public:
  std::int64_t of(const std::string& name) {
    const auto [at, first] = numbers_.emplace(name, static_cast<std::int64_t>(names_.size()));
    if (first) names_.push_back(name);
    return at->second;
  }
  void put(JsonText& json) const {
    json.begin_array();
    for (const std::string& name : names_) json.text(name);
    json.end_array();
  }

 private:
  std::map<std::string, std::int64_t> numbers_;
  std::vector<std::string> names_;
};

/// All that tables are made of. The script holds the same order of fields.
JsonText index_data(const WebInput& input) {
  Names codes, labels;
  JsonText json;
  json.begin_object().key("rules").begin_array();
  for (const WebRules& rules : input.rules) json.text(rules.name);
  json.end_array().key("runs").begin_array();
  for (const WebRun& run : input.runs) json.text(run.name);
  json.end_array().key("problems").begin_array();
  for (const WebProblem& problem : input.problems)
    json.begin_array().whole(problem.level).whole(problem.number).text(problem.name).text(problem.note).end_array();
  json.end_array().key("best").begin_array();
  for (std::size_t rule = 0; rule < input.rules.size(); ++rule) {
    json.begin_array();
    for (const WebRun& run : input.runs) {
      json.begin_array();
      if (rule < run.under.size())
        for (const WebBest& best : run.under[rule].best)
          json.begin_array()
              .whole(static_cast<std::int64_t>(best.problem))
              .whole(best.candidate)
              .whole(codes.of(best.code))
              .number(best.speedup)
              .number(best.memory)
              .end_array();
      json.end_array();
    }
    json.end_array();
  }
  json.end_array().key("candidates").begin_array();
  for (const WebCandidate& candidate : input.candidates) {
    json.begin_array()
        .whole(candidate.id)
        .whole(static_cast<std::int64_t>(candidate.run))
        .whole(static_cast<std::int64_t>(candidate.problem))
        .whole(candidate.sample)
        .begin_array();
    for (const WebVerdict& verdict : candidate.verdicts) {
      json.begin_array().whole(codes.of(verdict.code));
      if (verdict.correct)
        json.number(verdict.speedup)
            .number(verdict.low)
            .number(verdict.high)
            .whole(verdict.resolved ? 1 : 0)
            .number(verdict.memory);
      json.end_array();
    }
    json.end_array();
    if (!candidate.labels.empty()) {
      json.begin_array();
      for (const std::string& label : candidate.labels) json.whole(labels.of(label));
      json.end_array();
    }
    json.end_array();
  }
  json.end_array().key("codes");
  codes.put(json);
  json.key("labels");
  labels.put(json);
  json.end_object();
  return json;
}

}  // namespace

std::string web_body(const WebInput& input) {
  Html html;
  html.raw("<body>\n<a class=\"skip\" href=\"#leaderboard\">To the leaderboard</a>\n<header><div class=\"bar\">")
      .element("h1", input.title);
  html.raw(
      "<nav aria-label=\"Sections\"><a href=\"#leaderboard\">Leaderboard</a><a href=\"#figures\">Figures</a><a "
      "href=\"#problems\">Problems</a>"
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
  leaderboard(html, input);
  figures(html, input);
  html.raw("<div id=\"filters\" hidden></div>\n");
  problems(html, input);
  html.raw(
      "<section id=\"candidates\" aria-labelledby=\"h-candidates\"><h2 id=\"h-candidates\">Candidates</h2>\n"
      "<noscript><p>The list of candidates, their details and sources are shown by this page's script.</p></noscript>\n"
      "<div id=\"candidate-list\"></div></section>\n</div>\n<article id=\"candidate\" hidden></article>\n</main>\n");
  html.data("index", "", index_data(input));
  return html.take();
}

}  // namespace kbv
