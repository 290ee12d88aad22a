// SPDX-License-Identifier: MIT
#include "report/sanitize_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/page.h"

namespace kbv {
namespace {

constexpr std::size_t k_shown_records = 5;

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string status_words(SanitizerStatus status) {
  return status == SanitizerStatus::not_available ? "not available" : to_string(status);
}

Ink ink_of(SanitizerStatus status) {
  return status == SanitizerStatus::clean ? Ink::good : status == SanitizerStatus::errors ? Ink::bad : Ink::warn;
}

void headline(Page& page, const SanitizeFindings& findings) {
  std::vector<std::string> guilty, unknown;
  for (const SanitizerResult& result : findings.tools) {
    if (result.status == SanitizerStatus::errors)
      guilty.emplace_back(to_string(result.tool));
    else if (result.status != SanitizerStatus::clean)
      unknown.emplace_back(to_string(result.tool));
  }
  const SanitizerStatus status = sanitize_status(findings);
  if (status == SanitizerStatus::errors)
    page.headline(fmt::format("ERRORS: {}", fmt::join(guilty, ", ")), Ink::bad, "in the candidate's kernels");
  else if (status == SanitizerStatus::clean)
    page.headline("CLEAN", Ink::good, "no error in the candidate's kernels, as far as the tools see");
  else
    page.headline(fmt::format("NOT KNOWN: {}", fmt::join(unknown, ", ")), Ink::warn,
                  "nothing is held against the candidate");
}

void record_lines(Page& page, const SanitizerRecord& record) {
  page.paragraph(fmt::format("{}{}{}", record.count > 1 ? fmt::format("{} x ", record.count) : "",
                             record.warning ? "warning: " : "", record.kind),
                 Ink::strong);
  page.fact("kernel", record.kernel);
  page.fact("at", record.place);
  page.fact("inside", record.inside);
  if (!record.thread.empty())
    page.fact(record.count > 1 ? "first" : "thread",
              record.block.empty() ? record.thread : record.thread + " in block " + record.block);
  if (!record.space.empty()) page.fact("memory", record.space);
  for (const std::string& note : record.notes) page.fact("", note);
}

void records_section(Page& page, const SanitizerResult& result, const std::vector<SanitizerRecord>& records,
                     const std::string& title) {
  if (records.empty()) return;
  page.section(fmt::format("{}: {}", to_string(result.tool), title));
  for (std::size_t i = 0; i < std::min(records.size(), k_shown_records); ++i) record_lines(page, records[i]);
  if (records.size() > k_shown_records)
    page.paragraph(fmt::format("{} at other places", counted(records.size() - k_shown_records, "more kind")), Ink::dim);
}

}  // namespace

SanitizerStatus sanitize_status(const SanitizeFindings& findings) {
  const auto is = [](SanitizerStatus status) {
    return [status](const SanitizerResult& result) { return result.status == status; };
  };
  const auto& tools = findings.tools;
  if (std::any_of(tools.begin(), tools.end(), is(SanitizerStatus::errors))) return SanitizerStatus::errors;
  return !tools.empty() && std::all_of(tools.begin(), tools.end(), is(SanitizerStatus::clean))
             ? SanitizerStatus::clean
             : SanitizerStatus::incomplete;
}

std::string sanitize_report(const SanitizeFindings& findings, const ReportStyle& style) {
  TerminalPage page(style);
  headline(page, findings);
  page.fact("candidate", findings.candidate.path);
  page.fact("problem", findings.problem.path + (findings.size.empty() ? "" : " (size " + findings.size + ")"));
  page.fact("inputs", fmt::format("{} under each tool, secret {}",
                                  counted(static_cast<std::uint64_t>(findings.forwards), "call"), findings.secret));
  page.fact("device", findings.device);
  page.fact("isolation", findings.isolation_level);
  page.fact("program", findings.program);

  page.section("What each tool found");
  Table table{{"", "result", "errors", "warnings", "elsewhere", "s"},
              {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right},
              {}};
  for (const SanitizerResult& result : findings.tools)
    table.rows.push_back({{to_string(result.tool)},
                          {status_words(result.status), ink_of(result.status)},
                          {std::to_string(result.errors)},
                          {std::to_string(result.warnings)},
                          {std::to_string(result.elsewhere)},
                          {fmt::format("{:.1f}", result.seconds)}});
  page.table(table);
  page.paragraph(
      "elsewhere = errors in kernels that are named like a library's, or in no kernel; they are not counted as the "
      "candidate's");
  for (const SanitizerResult& result : findings.tools)
    if (!result.why.empty()) page.remark(fmt::format("{}: {}", to_string(result.tool), result.why));

  for (const SanitizerResult& result : findings.tools) {
    records_section(page, result, result.records, "in the candidate's kernels");
    records_section(page, result, result.others, "elsewhere");
  }
  return page.take();
}

}  // namespace kbv
