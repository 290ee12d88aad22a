// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "cli/say.h"
#include "cli/verbs.h"
#include "report/sanitize_report.h"

namespace kbv {
namespace {

using Json = nlohmann::ordered_json;

Result<std::vector<SanitizerTool>> tools_of(const std::string& names) {
  std::vector<SanitizerTool> tools;
  for (std::size_t start = 0; start <= names.size();) {
    const std::size_t end = std::min(names.find(',', start), names.size());
    const std::string name = names.substr(start, end - start);
    const auto tool = sanitizer_tool(name);
    if (!tool)
      return fail(Fault::usage, "bad_tool",
                  "--tools: '" + name + "' is not one of memcheck, racecheck, initcheck, synccheck");
    if (std::find(tools.begin(), tools.end(), *tool) == tools.end()) tools.push_back(*tool);
    start = end + 1;
  }
  return tools;
}

/// The program to run; a machine's fault where there is nothing for it to look at.
Result<std::string> program_for(const std::string& given, bool cuda) {
  if (!given.empty()) {
    const std::string path = std::filesystem::absolute(given).string();
    if (::access(path.c_str(), X_OK) != 0 || !std::filesystem::is_regular_file(path))
      return fail(Fault::usage, "no_sanitizer", "--sanitizer: " + given + " is not an executable file");
    return path;
  }
  if (!cuda)
    return fail(Fault::machine, "no_gpu",
                "compute-sanitizer looks at kernels on an NVIDIA GPU, and this is the CPU: see kbv doctor");
  const std::string found = find_sanitizer();
  if (found.empty())
    return fail(Fault::machine, "no_sanitizer",
                "compute-sanitizer was not found on PATH, in $CUDA_HOME or in /usr/local/cuda; it comes with NVIDIA's "
                "CUDA toolkit (--sanitizer PATH names it)");
  return found;
}

Json to_json(const std::vector<SanitizerRecord>& records) {
  Json list = Json::array();
  for (const SanitizerRecord& record : records)
    list.push_back({{"kind", record.kind},
                    {"kernel", record.kernel},
                    {"place", record.place},
                    {"inside", record.inside},
                    {"space", record.space},
                    {"thread", record.thread},
                    {"block", record.block},
                    {"notes", record.notes},
                    {"count", record.count},
                    {"warning", record.warning}});
  return list;
}

std::string to_json(const SanitizeFindings& findings) {
  Json tools = Json::array();
  for (const SanitizerResult& result : findings.tools)
    tools.push_back({{"tool", to_string(result.tool)},
                     {"status", to_string(result.status)},
                     {"why", result.why},
                     {"errors", result.errors},
                     {"warnings", result.warnings},
                     {"elsewhere", result.elsewhere},
                     {"seconds", result.seconds},
                     {"records", to_json(result.records)},
                     {"others", to_json(result.others)}});
  const Json document = {{"schema", "kbv-sanitize/1"},
                         {"problem", {{"path", findings.problem.path}, {"sha256", findings.problem.sha256}}},
                         {"candidate", {{"path", findings.candidate.path}, {"sha256", findings.candidate.sha256}}},
                         {"size", findings.size},
                         {"constants", findings.constants},
                         {"precision", findings.precision},
                         {"device", findings.device},
                         {"secret", findings.secret},
                         {"program", findings.program},
                         {"forwards", findings.forwards},
                         {"isolation", findings.isolation_level},
                         {"status", to_string(sanitize_status(findings))},
                         {"tools", tools}};
  // Texts of a report may be anything but UTF-8.
  return json_text(document, 1) + "\n";
}

}  // namespace

int run_sanitize(const SanitizeVerbOptions& options) {
  SanitizeOptions wanted = options.sanitize;
  auto tools = tools_of(options.tools);
  if (!tools) return print_error(tools.error());
  wanted.tools = std::move(*tools);
  for (const auto& [path, what] :
       {std::pair{wanted.problem_path, "problem"}, std::pair{wanted.candidate_path, "candidate"}})
    if (auto bytes = read_file(path, what); !bytes) return print_error(bytes.error());
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());
  auto program = program_for(wanted.program, (*session)->cuda());
  if (!program) return print_error(program.error());
  wanted.program = std::move(*program);
  EvaluateOptions defaults;
  (*session)->apply(defaults);
  wanted.profile = defaults.profile;
  wanted.required_profile = defaults.required_profile;
  wanted.limits = defaults.limits;

  EvaluateContext context = (*session)->context();
  const auto findings = with_progress(context, [&] { return sanitize(context, wanted); });
  if (!findings) return print_error(findings.error());

  std::FILE* report = options.json_path == "-" ? stderr : stdout;
  ReportStyle style;
  style.colour = ::isatty(::fileno(report)) == 1;
  say_page(report, sanitize_report(*findings, style));
  if (options.json_path == "-") {
    say_page(stdout, to_json(*findings));
  } else if (!options.json_path.empty()) {
    if (auto written = write_file(options.json_path, to_json(*findings)); !written) return print_error(written.error());
  }
  switch (sanitize_status(*findings)) {
    case SanitizerStatus::clean:
      return k_exit_correct;
    case SanitizerStatus::errors:
      return k_exit_rejected;
    default:
      return k_exit_machine;
  }
}

}  // namespace kbv
