// SPDX-License-Identifier: MIT
// How the outputs compare, by the distribution of the inputs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "report/sections.h"
#include "report/units.h"

namespace kbv {
namespace {

/// Cases of one kind under one distribution, taken together.
struct Group {
  std::string label;
  double scale = 1;
  int passed = 0, failed = 0, dropped = 0, not_run = 0;
  bool needed = false;
  CompareStats sum;
  std::optional<double> part;
  std::string drop_reason;
};

void add(CompareStats& sum, const CompareStats& stats) {
  sum.count += stats.count;
  sum.nonfinite += stats.nonfinite;
  sum.sum_abs += stats.sum_abs;
  sum.max_abs = std::max(sum.max_abs, stats.max_abs);
  sum.tau = std::max(sum.tau, stats.tau);
}

std::string label_of(const CaseResult& result) {
  if (result.kind == "hidden") return result.distribution + " hidden";
  if (result.kind == "family") return result.distribution + " family";
  if (result.kind == "contract") return result.distribution + " repeated";
  if (result.kind == "noise") return result.distribution + " random numbers";
  if (result.kind == "parameters") return result.distribution + " other parameters";
  return result.distribution + (result.kind == "timed" ? " timed calls" : " trials");
}

std::vector<Group> group_cases(const Observation& observation, const Verdict& verdict) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < observation.cases.size() && i < verdict.cases.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    const std::string label = label_of(result);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.label == label; });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), Group());
      group->label = label;
      group->scale = result.scale;
    }
    group->needed |= verdict.cases[i].needed;
    if (const auto part = verdict.cases[i].part) group->part = std::max(group->part.value_or(0), *part);
    if (result.dropped) group->drop_reason = result.drop_reason;
    switch (verdict.cases[i].state) {
      case CaseVerdict::State::passed: group->passed += result.calls; break;
      case CaseVerdict::State::failed: group->failed += result.calls; break;
      case CaseVerdict::State::dropped: group->dropped += result.calls; break;
      case CaseVerdict::State::not_run: group->not_run += result.calls; break;
    }
    if (!result.dropped && result.ran && result.kind != "noise")  // of those no output is compared with another
      for (const OutputCheck& output : result.outputs) add(group->sum, output.stats);
  }
  return groups;
}

std::string remarks(const Group& group) {
  std::string text;
  const auto append = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (group.sum.nonfinite > 0) append(fmt::format("{} NaN or infinite", group.sum.nonfinite));
  if (group.not_run > 0) append(fmt::format("{} not run", group.not_run));
  if (group.dropped > 0)
    append(group.drop_reason == "the reference's output is not finite" ? fmt::format("{} not finite", group.dropped)
                                                                      : fmt::format("{} dropped: {}", group.dropped, group.drop_reason));
  if (!group.needed) append("not asked for");
  return text;
}

std::vector<Cell> row_of(const Group& group) {
  const int counted = group.passed + group.failed + group.not_run;
  const bool compared = group.sum.count > 0;
  const std::uint64_t finite = group.sum.count - std::min(group.sum.count, group.sum.nonfinite);
  const double mean = finite > 0 ? group.sum.sum_abs / static_cast<double>(finite) : 0;
  const Ink ink = group.failed > 0 ? Ink::bad : group.not_run > 0 ? Ink::warn : counted > 0 ? Ink::good : Ink::plain;
  return {{"  " + group.label},
          {group.scale == 1 ? "as given" : fmt::format("x {:g}", group.scale)},
          {counted > 0 ? fmt::format("{}/{}", group.passed, counted) : "-", ink},
          {group.part ? fmt::format("{:.2g}", *group.part) : "-"},
          {compared ? show_error(group.sum.tau) : "-"},
          {compared ? show_error(group.sum.max_abs) : "-"},
          {compared ? show_error(mean) : "-"},
          {remarks(group), Ink::dim}};
}

std::string_view state_name(CaseVerdict::State state) {
  switch (state) {
    case CaseVerdict::State::passed: return "passed";
    case CaseVerdict::State::failed: return "failed";
    case CaseVerdict::State::dropped: return "dropped";
    case CaseVerdict::State::not_run: return "not run";
  }
  return "?";
}

/// Every output of every case.
void every_case(Page& page, const Observation& observation, const Verdict& verdict) {
  Table table;
  table.headers = {"  case", "", "seed", "output", "error", "max |diff|", "unequal"};
  table.align = {Align::left,  Align::left,  Align::right, Align::left, Align::right, Align::right, Align::right};
  for (std::size_t i = 0; i < observation.cases.size() && i < verdict.cases.size(); ++i) {
    const CaseResult& result = observation.cases[i];
    const std::vector<Cell> start{{"  " + result.id}, {std::string(state_name(verdict.cases[i].state))},
                                  {std::to_string(result.seed)}};
    if (result.outputs.empty()) {
      table.rows.push_back(start);
      table.rows.back().push_back({result.drop_reason});
    }
    for (const OutputCheck& output : result.outputs) {
      const CompareStats& stats = output.stats;
      table.rows.push_back(start);
      auto& row = table.rows.back();
      row.push_back({fmt::format("{} {}", output.path, dtype_name(output.dtype))});
      row.push_back({stats.nonfinite > 0 ? "nonfinite" : show_error(stats.tau)});
      row.push_back({show_error(stats.max_abs)});
      row.push_back({fmt::format("{}/{}", stats.unequal, stats.count)});
    }
  }
  page.table(table);
}

}  // namespace

void case_section(Page& page, const Observation& observation, const Verdict& verdict, bool verbose) {
  if (observation.cases.empty()) return;
  page.section("Outputs against the reference's, by the inputs");
  Table table;
  table.headers = {"", "inputs", "passed", "of allowed", "error", "max |diff|", "mean |diff|", ""};
  table.align = {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::left};
  for (const Group& group : group_cases(observation, verdict)) table.rows.push_back(row_of(group));
  page.table(table);
  page.paragraph("diff = got - expected. error = |diff| / (1 + |expected|), the largest of all elements; where a tolerance decides, a case "
                 "passes if it is at most that, which is the same as torch.allclose(atol=t, rtol=t). Where there is an 'of allowed', that decides: "
                 "the distance from float64 as a part of what right implementations may have, so 1 is the limit. D1 to D4 = the problem's random "
                 "inputs, scaled; S and X = other families of inputs (kbv problem check --help).",
                 Ink::dim);
  if (verbose) every_case(page, observation, verdict);
}

}  // namespace kbv
