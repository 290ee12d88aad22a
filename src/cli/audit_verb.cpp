// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/problem_files.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "score/audit.h"

namespace kbv {
namespace {

using nlohmann::json;

std::vector<std::string> names_of(const std::vector<const StandIn*>& stand_ins) {
  std::vector<std::string> names;
  for (const StandIn* stand_in : stand_ins) names.push_back(stand_in_name(*stand_in));
  return names;
}

/// A list that a line can hold.
std::string listing(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  std::string text = fmt::format("{}", fmt::join(shown, "; "));
  if (names.size() > most) text += fmt::format("; {} more", names.size() - most);
  return printable(text);
}

json to_json(const StandIn& stand_in) {
  json object = {{"kind", stand_in.kind}, {"what", stand_in.what}, {"distributions", json::object()}};
  for (const StandInCase& entry : stand_in.cases) {
    json& told = object["distributions"][entry.distribution] = {
        {"made", entry.made}, {"why_not", entry.why_not}, {"outputs", json::array()}};
    for (const OutputCheck& output : entry.outputs)
      told["outputs"].push_back({{"path", output.path},
                                 {"dtype", dtype_name(output.dtype)},
                                 {"tau", output.stats.tau},
                                 {"unequal", output.stats.unequal},
                                 {"nonfinite", output.stats.nonfinite},
                                 {"sum_sq_diff", output.stats.sum_sq_diff},
                                 {"sum_sq_expected", output.stats.sum_sq_expected}});
  }
  return object;
}

json to_json(const ProblemAudit& audit) {
  json object = {{"path", audit.path},
                 {"sha256", audit.sha256},
                 {"seconds", audit.seconds},
                 {"distributions", audit.distributions},
                 {"parameters_left_out", audit.parameters_left_out},
                 {"stand_ins", json::array()},
                 {"verdicts", json::object()}};
  object["error"] = error_to_json(audit.error);
  for (const StandIn& stand_in : audit.stand_ins) object["stand_ins"].push_back(to_json(stand_in));
  for (const Protocol& protocol : builtin_protocols()) {
    const AuditVerdict verdict = judge_audit(audit, protocol);
    object["verdicts"][protocol.name] = {{"verdict", to_string(verdict.sight)},
                                         {"passing", names_of(verdict.passing)},
                                         {"no_effect", names_of(verdict.no_effect)}};
  }
  return object;
}

void print_audit(const ProblemAudit& audit, const Protocol& own, bool verbose) {
  std::string line = fmt::format("{:<52.52}", short_problem_name(audit.path));
  for (const Protocol& protocol : builtin_protocols())
    line += fmt::format(" {:<11}", to_string(judge_audit(audit, protocol).sight));
  fmt::print("{} {:>6.1f}\n", line, audit.seconds);
  if (audit.error) {
    fmt::print("    {}: {}\n", audit.error->code, printable(audit.error->message));
    return;
  }
  const std::size_t most = verbose ? 1000 : 6;
  const AuditVerdict verdict = judge_audit(audit, own);
  if (!verdict.passing.empty())
    fmt::print("    {} lets pass: {}\n", own.name, listing(names_of(verdict.passing), most));
  if (!verdict.no_effect.empty()) fmt::print("    without effect: {}\n", listing(names_of(verdict.no_effect), most));
  if (audit.parameters_left_out > 0) fmt::print("    {} parameters were not looked at\n", audit.parameters_left_out);
}

}  // namespace

int run_problem_audit(const ProblemAuditOptions& options) {
  const auto own = find_protocol(options.protocol);
  if (!own) return print_error(own.error());
  const auto problems = read_problems(options.paths, options.size, options.constants);
  if (!problems) return print_error(problems.error());
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());

  std::string head = fmt::format("{:<52}", "problem");
  for (const Protocol& protocol : builtin_protocols()) head += fmt::format(" {:<11}", protocol.name);
  fmt::print("{} {:>6}\n", head, "s");
  std::vector<ProblemAudit> audits(problems->size());
  std::mutex device_use;
  const auto work = [&](std::size_t i, Reference* reference, const Error* start_error,
                        bool& spent) -> const std::optional<Error>& {
    audits[i] = {};
    if (reference) {
      audits[i] = audit_problem((*session)->device(), device_use, *reference, (*problems)[i], spent);
    } else {
      audits[i].path = (*problems)[i].path;
      audits[i].error = *start_error;
    }
    return audits[i].error;
  };
  const auto done = [&](std::size_t i) {
    print_audit(audits[i], *own, options.verbose);
    std::fflush(stdout);
  };
  if (!for_each_problem(**session, options.stages, problems->size(), options.session.jobs, work, done))
    return print_error({Fault::machine, "interrupted", "interrupted", {}});

  json list = json::array();
  bool machine = false;
  std::size_t failed = 0;
  for (const ProblemAudit& audit : audits) {
    failed += audit.error.has_value();
    machine |= audit.error && audit.error->fault == Fault::machine;
    list.push_back(to_json(audit));
  }
  for (const Protocol& protocol : builtin_protocols()) {
    std::array<int, 5> counts{};
    for (const ProblemAudit& audit : audits) ++counts[static_cast<std::size_t>(judge_audit(audit, protocol).sight)];
    fmt::print("{}: {} vacuous, {} blind, {} coarse, {} sound, {} not judged\n", protocol.name, counts[1], counts[2],
               counts[3], counts[4], counts[0]);
  }
  if (!options.json_path.empty())
    if (auto written = write_file(options.json_path, list.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
        !written)
      return print_error(written.error());
  if (machine) return k_exit_machine;
  return failed == 0 ? k_exit_correct : k_exit_rejected;
}

}  // namespace kbv
