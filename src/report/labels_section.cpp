// SPDX-License-Identifier: MIT
// What the static look found in the candidate's source: advice, rule by rule.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "look/rules.h"
#include "report/sections.h"

namespace kbv {
namespace {

constexpr std::size_t k_lines_shown = 6;
constexpr std::size_t k_details_shown = 3;

struct RuleFound {
  std::set<int> lines;
  std::vector<std::string> details;
  std::uint64_t left_out = 0;
};

std::string line_words(const RuleFound& found, bool verbose) {
  std::vector<std::string> shown;
  for (const int line : found.lines) {
    if (!verbose && shown.size() == k_lines_shown) break;
    shown.push_back(fmt::format("{}", line));
  }
  const std::uint64_t more = found.lines.size() - shown.size() + found.left_out;
  if (more > 0 && !shown.empty()) shown.push_back(fmt::format("and {} more", more));
  if (shown.empty()) return fmt::format("unknown, {} times", found.left_out);  // only counted
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string detail_words(const RuleFound& found, bool verbose) {
  std::vector<std::string> shown;
  for (const std::string& detail : found.details)
    if (verbose || shown.size() < k_details_shown)
      shown.push_back(detail.size() > 40 && !verbose ? detail.substr(0, 37) + "..." : detail);
  return fmt::format("{}{}", fmt::join(shown, ", "), shown.size() < found.details.size() ? ", ..." : "");
}

}  // namespace

void labels_section(Page& page, const SourceLabels& labels, bool verbose) {
  const bool looked = labels.state != "not looked at";
  if (!looked && labels.why.empty()) return;  // nobody tried: an observation from before
  page.section("What its source holds");
  if (!looked) {
    page.paragraph("could not be looked at: " + labels.why, Ink::warn);
    return;
  }
  std::map<std::string, RuleFound, std::less<>> by_rule;
  for (const SourceLabel& label : labels.labels) {
    RuleFound& found = by_rule[label.rule];
    found.lines.insert(label.line);
    if (std::find(found.details.begin(), found.details.end(), label.detail) == found.details.end())
      found.details.push_back(label.detail);
  }
  for (const auto& [rule, count] : labels.left_out) by_rule[rule].left_out += count;
  const bool any = !by_rule.empty();
  // One fact a rule, and not a table: a table cuts off what does not fit, and here the end is what tells.
  const auto add = [&](std::string_view group, const std::string& id, std::string_view words, const RuleFound& found) {
    const std::string lines = line_words(found, verbose), details = detail_words(found, verbose);
    page.fact(std::string(group),
              fmt::format("{} (line {}): {}{}{}", id, lines, words, details.empty() ? "" : ": ", details));
  };
  for (const LookRule& rule : look_rules())
    if (const auto found = by_rule.find(rule.id); found != by_rule.end()) {
      add(rule.group, found->first, rule.words, found->second);
      by_rule.erase(found);
    }
  for (const auto& [id, found] : by_rule) add("?", id, "a rule that this version does not know", found);
  if (!any) page.paragraph("nothing that a rule knows", Ink::dim);
  if (!labels.why.empty()) page.remark("Not all of it was looked at: " + labels.why + ".");
  page.paragraph(
      "By rules on the text (docs/static-look.md): advice for a reader. Honest kernels have such labels too, and no "
      "verdict depends on them.",
      Ink::dim);
}

}  // namespace kbv
