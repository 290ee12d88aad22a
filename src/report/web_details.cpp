// SPDX-License-Identifier: MIT
#include "report/web_details.h"

#include <fmt/format.h>

#include <functional>

#include "report/sections.h"
#include "report/units.h"

namespace kbv {
namespace {

constexpr std::size_t k_shared_from = 24;      // shorter texts gain little
constexpr std::size_t k_shared_texts = 20000;  // bounds what a page must read at once

std::string yes_no(const std::optional<bool>& value) { return !value ? "" : *value ? "yes" : "no"; }

void verdicts_section(Page& page, const std::vector<Verdict>& verdicts) {
  page.section("Verdicts");
  Table table;
  table.headers = {"rules",    "verdict", "speedup", "95 % interval", "finding",
                   "own mean", "against", "memory",  "robust",        "strict"};
  table.align = {Align::left,  Align::left, Align::right, Align::left, Align::left,
                 Align::right, Align::left, Align::right, Align::left, Align::left};
  for (const Verdict& verdict : verdicts) {
    const SpeedScore* own = verdict.speed.empty() ? nullptr : &verdict.speed.front();
    const bool ratio = own && own->speedup.value > 0;
    const Ink ink = verdict.correct ? Ink::good : excuse(verdict).empty() ? Ink::bad : Ink::warn;
    table.rows.push_back(
        {{verdict.protocol, Ink::strong},
         {verdict.code, ink},
         {ratio ? show_factor(own->speedup.value) : ""},
         {ratio ? show_range(own->speedup.low, own->speedup.high) : ""},
         {own ? own->finding : "", own && !own->resolved ? Ink::warn : Ink::plain},
         {own && own->means ? fmt::format("{} of {}", show_factor(own->means->speedup), own->means->calls) : ""},
         {own ? own->baseline : ""},
         {verdict.memory_ratio ? show_factor(*verdict.memory_ratio) : ""},
         {yes_no(verdict.robust)},
         {yes_no(verdict.strict)}});
  }
  page.table(table);
  for (const Verdict& verdict : verdicts)
    if (!verdict.reason.empty()) page.fact(verdict.protocol, verdict.reason);
  for (const Verdict& verdict : verdicts) {
    if (verdict.robust == false) page.fact("not robust", verdict.robust_reason);
    if (verdict.strict == false) page.fact("not strict", verdict.strict_reason);
    if (verdict.tolerance)
      page.remark(
          fmt::format("{} was judged with tolerance {:g} instead of its own.", verdict.protocol, *verdict.tolerance));
  }
  if (!verdicts.empty())
    for (const Evidence& evidence : verdicts.back().evidence)
      if (evidence.kind == "vacuous_problem") page.remark(evidence.text + ".");
}

void list_section(Page& page, const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  page.section(title);
  for (const std::string& line : lines) page.paragraph(line);
}

}  // namespace

std::optional<std::int64_t> SharedTexts::number_of(std::string_view text) {
  if (text.size() < k_shared_from) return std::nullopt;
  const std::string key(text);
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  if (seen_once_.insert(std::hash<std::string_view>()(text)).second || texts_.size() >= k_shared_texts)
    return std::nullopt;
  const auto [added, first] = numbers_.emplace(key, static_cast<std::int64_t>(texts_.size()));
  texts_.push_back(&added->first);
  return added->second;
}

JsonText SharedTexts::json() const {
  JsonText json;
  json.begin_array();
  for (const std::string* text : texts_) json.text(*text);
  json.end_array();
  return json;
}

void DataPage::put(std::string_view text) {
  const auto number = text.size() <= k_text_limit ? shared_.number_of(text) : std::nullopt;
  if (number)
    json_.whole(*number);
  else
    json_.text(text, k_text_limit);
}

void DataPage::headline(const std::string& verdict, Ink ink, const std::string& rest) { fact(verdict, rest, ink); }

void DataPage::section(const std::string& title) {
  json_.begin_array().text("h");
  put(title);
  json_.end_array();
}

void DataPage::paragraph(std::string_view text, Ink ink) {
  json_.begin_array().text("p");
  put(text);
  if (ink != Ink::plain) json_.whole(static_cast<int>(ink));
  json_.end_array();
}

void DataPage::remark(std::string_view text) {
  json_.begin_array().text("!");
  put(text);
  json_.end_array();
}

void DataPage::table(const Table& table) {
  json_.begin_array().text("t").begin_array();
  for (const std::string& header : table.headers) put(header);
  json_.end_array();
  std::string align;
  for (const Align one : table.align) align += one == Align::right ? 'r' : 'l';
  json_.text(align).begin_array();
  for (const auto& row : table.rows) {
    std::size_t cells = row.size();
    while (cells > 0 && row[cells - 1].text.empty()) --cells;
    json_.begin_array();
    for (std::size_t i = 0; i < cells; ++i) {
      const bool inked = row[i].ink != Ink::plain;
      if (inked) json_.begin_array();
      put(row[i].text);
      if (inked) json_.whole(static_cast<int>(row[i].ink)).end_array();
    }
    json_.end_array();
  }
  json_.end_array().end_array();
}

void DataPage::fact(const std::string& label, std::string_view text, Ink ink) {
  if (text.empty()) return;
  json_.begin_array().text("f");
  put(label);
  put(text);
  if (ink != Ink::plain) json_.whole(static_cast<int>(ink));
  json_.end_array();
}

void DataPage::quote(std::string_view text, std::size_t) {
  // A compiler's first error tells most, and so does the last line of a traceback.
  std::string shown(text.substr(0, k_quote_limit));
  std::size_t left_out = 0;
  if (text.size() > k_quote_limit) {
    left_out = text.size() - k_quote_limit;
    shown = fmt::format("{}\n[{} bytes are left out here]\n{}", text.substr(0, k_quote_limit / 2), left_out,
                        text.substr(text.size() - k_quote_limit / 2));
  }
  json_.begin_array().text("q").text(shown).whole(static_cast<std::int64_t>(left_out)).end_array();
}

JsonText candidate_details(const WebDetails& details, SharedTexts& shared) {
  JsonText json;
  json.begin_object();
  json.key("path").text(details.path, DataPage::k_text_limit);
  json.key("source").text(details.source_key);
  json.key("left_out").whole(static_cast<std::int64_t>(details.source_left_out));
  json.key("sections").begin_array();
  DataPage page(json, shared);
  if (details.observation) {
    const Observation& observation = *details.observation;
    if (!details.verdicts.empty()) {
      const Verdict& verdict = details.verdicts.back();
      verdicts_section(page, details.verdicts);
      evidence_section(page, verdict);
      speed_section(page, observation, verdict);
      memory_section(page, verdict);
      case_section(page, observation, verdict, false);
      kernels_section(page, observation, false);
      output_section(page, observation, verdict, false);
      labels_section(page, observation.source_labels, false);
    }
    details_section(page, observation, true);
  } else {
    page.section("Verdicts");
    page.paragraph("There is no observation of it: it has not been judged, or the machine failed each time.");
  }
  list_section(page, "Failures of the machine", details.failures);
  list_section(page, "As recorded by other harnesses", details.recorded);
  if (!details.commands.empty()) {
    page.section("Again");
    std::string commands;
    for (const std::string& command : details.commands) commands += command + "\n";
    page.quote(commands, 0);
  }
  json.end_array().end_object();
  return json;
}

}  // namespace kbv
