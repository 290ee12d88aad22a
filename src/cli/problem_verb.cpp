// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/file.h"
#include "cli/problem_files.h"
#include "cli/say.h"
#include "cli/verbs.h"
#include "judge/problem_check.h"
#include "report/report.h"

namespace kbv {
namespace {

using nlohmann::json;

std::string row(const ProblemCheck& check) {
  std::string line = fmt::format("{:<58.58} ", short_problem_name(check.path));
  for (std::size_t i = 0; i < std::size(k_distributions); ++i)
    line += fmt::format("{:<11}", i < check.distributions.size() ? to_string(check.distributions[i].status) : "-");
  line += fmt::format("{:>9.1f} {:>9.1f} {:>6.2f}", static_cast<double>(check.input_bytes) / 1e6,
                      static_cast<double>(check.output_bytes) / 1e6, check.seconds);
  if (check.error) line += fmt::format("  {}: {}", check.error->code, check.error->message);
  for (const auto& entry : check.distributions)
    if (!entry.reason.empty()) line += fmt::format("  {}: {}", entry.name, entry.reason);
  return line;
}

/// "S1 2e-07": how far the reference is from float64, or why a family says nothing.
std::string family_row(const ProblemCheck& check) {
  std::string line = "   ";
  for (const auto& entry : check.families)
    line += fmt::format(" {} {}", entry.name, entry.status == DistributionStatus::ok ? fmt::format("{:.0e}", entry.e_rms) : to_string(entry.status)) + ";";
  line.pop_back();
  return line;
}

json to_json(const ProblemCheck& check) {
  json object = {{"path", check.path},           {"sha256", check.sha256},
                 {"inputs", check.inputs},       {"input_bytes", check.input_bytes},
                 {"outputs", check.outputs},     {"output_bytes", check.output_bytes},
                 {"state_bytes", check.state_bytes}, {"seconds", check.seconds}};
  object["error"] = error_to_json(check.error);
  object["distributions"] = json::object();
  for (const auto& entry : check.distributions)
    object["distributions"][entry.name] = {{"status", to_string(entry.status)}, {"reason", entry.reason}};
  object["families"] = json::object();
  for (const auto& entry : check.families)
    object["families"][entry.name] = {{"status", to_string(entry.status)}, {"reason", entry.reason}, {"e_max", entry.e_max}, {"e_rms", entry.e_rms}};
  return object;
}

}  // namespace

int run_problem_check(const ProblemCheckOptions& options) {
  const auto problems = read_problems(options.paths, options.size, options.constants);
  if (!problems) return print_error(problems.error());
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());

  say(stdout, "{:<58} {:<11}{:<11}{:<11}{:<11}{:>9} {:>9} {:>6}\n", "problem", "D1 x1", "D2 x3", "D3 x0.01", "D4 x-1",
             "in MB", "out MB", "s");
  std::vector<ProblemCheck> checks(problems->size());
  const auto work = [&](std::size_t i, Reference* reference, const Error* start_error, bool& spent) -> const std::optional<Error>& {
    if (reference) {
      checks[i] = check_problem(*reference, (*problems)[i], options.families, spent);
    } else {
      checks[i].path = (*problems)[i].path;
      checks[i].error = *start_error;
    }
    return checks[i].error;
  };
  const auto done = [&](std::size_t i) {
    say(stdout, "{}\n", row(checks[i]));
    if (options.families && !checks[i].families.empty()) say(stdout, "{}\n", family_row(checks[i]));
    std::fflush(stdout);
  };
  if (!for_each_problem(**session, options.stages, problems->size(), options.session.jobs, work, done))
    return print_error({Fault::machine, "interrupted", "interrupted", {}});

  std::size_t failed = 0, dropped = 0;
  bool machine = false;
  json list = json::array();
  for (const auto& check : checks) {
    failed += check.error.has_value();
    machine |= check.error && check.error->fault == Fault::machine;
    for (const auto& entry : check.distributions)
      dropped += entry.status == DistributionStatus::not_finite || entry.status == DistributionStatus::error;
    list.push_back(to_json(check));
  }
  say(stdout, "problems: {} checked, {} load and run, {} fail; distributions: {} of {} dropped\n", checks.size(),
             checks.size() - failed, failed, dropped, (checks.size() - failed) * std::size(k_distributions));
  if (!options.json_path.empty())
    if (auto written = write_file(options.json_path, json_text(list, 1) + "\n"); !written) return print_error(written.error());
  if (machine) return k_exit_machine;
  return failed == 0 ? k_exit_correct : k_exit_rejected;
}

}  // namespace kbv
