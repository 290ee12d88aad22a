// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "cli/problem_files.h"
#include "cli/say.h"
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
  return text;
}

/// A number that may be infinite, which JSON has no way to say.
json number(double value) { return std::isfinite(value) ? json(value) : json("infinite"); }

json to_json(const OutputCheck& output) {
  json object = {{"path", output.path}, {"dtype", dtype_name(output.dtype)}};
  if (output.stats.count > 0)
    object.update({{"tau", output.stats.tau},
                   {"unequal", output.stats.unequal},
                   {"nonfinite", output.stats.nonfinite},
                   {"sum_sq_diff", output.stats.sum_sq_diff},
                   {"sum_sq_expected", output.stats.sum_sq_expected}});
  if (output.exact) {
    const ExactStats& stats = output.exact->stats;
    object["exact"] = {{"e_max", number(stats.e_max)},
                       {"e_rms", number(stats.e_rms)},
                       {"unequal", stats.unequal},
                       {"nonfinite", stats.nonfinite}};
  }
  return object;
}

json to_json(const StandIn& stand_in) {
  json object = {
      {"kind", stand_in.kind}, {"what", stand_in.what}, {"name", stand_in_name(stand_in)}, {"draws", json::object()}};
  for (const StandInCase& entry : stand_in.cases) {
    json& told = object["draws"][entry.result.id] = {
        {"made", entry.result.ran}, {"why_not", entry.why_not}, {"outputs", json::array()}};
    told["same_in_float64"] = entry.same_exact ? json(*entry.same_exact) : json();
    for (const OutputCheck& output : entry.result.outputs) told["outputs"].push_back(to_json(output));
  }
  return object;
}

json to_json(const AuditVerdict& verdict) {
  json object = {{"verdict", to_string(verdict.sight)},
                 {"passing", names_of(verdict.passing)},
                 {"no_effect", names_of(verdict.no_effect)},
                 {"harmless", names_of(verdict.harmless)},
                 {"rejected", json::object()}};
  for (const Rejection& rejection : verdict.rejected)
    object["rejected"][stand_in_name(*rejection.stand_in)] = {{"draw", rejection.draw}, {"reason", rejection.reason}};
  return object;
}

json to_json(const ProblemAudit& audit) {
  json object = {{"path", audit.path},
                 {"sha256", audit.sha256},
                 {"seconds", audit.seconds},
                 {"draws", json::array()},
                 {"parameters_left_out", audit.parameters_left_out},
                 {"parameters_note", audit.parameters_note},
                 {"stand_ins", json::array()},
                 {"verdicts", json::object()}};
  object["error"] = error_to_json(audit.error);
  for (const CaseResult& draw : audit.draws)
    object["draws"].push_back(
        {{"id", draw.id}, {"dropped", draw.dropped}, {"why", draw.drop_reason}, {"no_float64", draw.no_oracle}});
  for (const StandIn& stand_in : audit.stand_ins) object["stand_ins"].push_back(to_json(stand_in));
  for (const Protocol& protocol : builtin_protocols())
    object["verdicts"][protocol.name] = to_json(judge_audit(audit, protocol));
  return object;
}

/// Which draw rejects what, the first one each time; with the reasons if all is to be told.
void print_rejections(const std::vector<Rejection>& rejected, std::size_t most, bool verbose) {
  for (auto first = rejected.begin(); first != rejected.end();) {
    const auto last =
        std::find_if(first, rejected.end(), [&](const Rejection& other) { return other.draw != first->draw; });
    std::vector<std::string> names;
    for (auto it = first; it != last; ++it)
      names.push_back(stand_in_name(*it->stand_in) + (verbose ? " (" + it->reason + ")" : ""));
    say(stdout, "    {} rejects: {}\n", first->draw, listing(names, most));
    first = last;
  }
}

void print_audit(const ProblemAudit& audit, const Protocol& own, bool verbose) {
  std::string line = fmt::format("{:<52.52}", short_problem_name(audit.path));
  for (const Protocol& protocol : builtin_protocols())
    line += fmt::format(" {:<11}", to_string(judge_audit(audit, protocol).sight));
  say(stdout, "{} {:>6.1f}\n", line, audit.seconds);
  if (audit.error) {
    say(stdout, "    {}: {}\n", audit.error->code, audit.error->message);
    return;
  }
  const std::size_t most = verbose ? 1000 : 6;
  const AuditVerdict verdict = judge_audit(audit, own);
  if (!verdict.passing.empty())
    say(stdout, "    {} lets pass: {}\n", own.name, listing(names_of(verdict.passing), most));
  if (!verdict.no_effect.empty()) say(stdout, "    without effect: {}\n", listing(names_of(verdict.no_effect), most));
  if (!verdict.harmless.empty()) say(stdout, "    right as well: {}\n", listing(names_of(verdict.harmless), most));
  print_rejections(verdict.rejected, most, verbose);
  std::vector<std::string> dropped;
  for (const CaseResult& draw : audit.draws)
    if (draw.dropped) dropped.push_back(draw.id);
  if (!dropped.empty()) say(stdout, "    dropped: {}\n", listing(dropped, most));
  if (!audit.parameters_note.empty() && audit.parameters_note != "the model has none")
    say(stdout, "    parameters were not varied: {}\n", audit.parameters_note);
  if (audit.parameters_left_out > 0) say(stdout, "    {} parameters were not looked at\n", audit.parameters_left_out);
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
  say(stdout, "{} {:>6}\n", head, "s");
  const AuditOptions wanted = audit_options(builtin_protocols());
  std::vector<ProblemAudit> audits(problems->size());
  std::mutex device_use;
  const auto work = [&](std::size_t i, Reference* reference, const Error* start_error,
                        bool& spent) -> const std::optional<Error>& {
    audits[i] = {};
    if (reference) {
      audits[i] = audit_problem((*session)->device(), device_use, *reference, (*problems)[i], wanted, spent);
    } else {
      audits[i].path = (*problems)[i].path;
      audits[i].error = *start_error;
    }
    return audits[i].error;
  };
  std::vector<bool> is_done(problems->size());
  const auto done = [&](std::size_t i) {
    is_done[i] = true;
    print_audit(audits[i], *own, options.verbose);
    std::fflush(stdout);
  };
  const bool is_whole = for_each_problem(**session, options.stages, problems->size(), options.session.jobs, work, done);
  // What was found counts, whoever stopped it.
  for (std::size_t i = 0; i < audits.size(); ++i)
    if (!is_done[i])
      audits[i] = {(*problems)[i].path, {}, Error{Fault::machine, "interrupted", "interrupted", {}}, {}, {}, 0, {}, 0};

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
    say(stdout, "{}: {} vacuous, {} blind, {} coarse, {} sound, {} not judged\n", protocol.name, counts[1], counts[2],
        counts[3], counts[4], counts[0]);
  }
  if (!options.json_path.empty())
    if (auto written = write_file(options.json_path, json_text(list, 1) + "\n"); !written)
      return print_error(written.error());
  if (!is_whole) return print_error({Fault::machine, "interrupted", "interrupted", {}});
  if (machine) return k_exit_machine;
  return failed == 0 ? k_exit_correct : k_exit_rejected;
}

}  // namespace kbv
