// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "report/reproducer.h"
#include "store/observation_json.h"

namespace kbv {

int exit_code_of(const Verdict& verdict) {
  if (verdict.correct) return k_exit_correct;
  if (verdict.code == "machine_error") return k_exit_machine;
  if (!is_verdict(verdict.code)) return k_exit_usage;
  return k_exit_rejected;
}

int run_eval(const EvalVerbOptions& options) {
  auto protocol = find_protocol(options.protocol);
  if (!protocol) return print_error(protocol.error());
  // Read first what can be wrong with the input: no worker starts for a missing file.
  for (const auto& [path, what] : {std::pair{options.evaluate.problem_path, "problem"},
                                   std::pair{options.evaluate.candidate_path, "candidate"}})
    if (auto bytes = read_file(path, what); !bytes) return print_error(bytes.error());
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());
  EvaluateOptions evaluate_options = options.evaluate;
  (*session)->apply(evaluate_options);
  EvaluateContext context = (*session)->context();
  auto observation = with_progress(context, [&] { return evaluate(context, evaluate_options); });
  if (!observation) return print_error(observation.error());

  std::vector<Verdict> verdicts = {judge_observation(*observation, *protocol, options.tolerance)};
  for (const auto& other : builtin_protocols())
    if (other.name != protocol->name) verdicts.push_back(judge_observation(*observation, other, options.tolerance));
  ReportStyle style;
  // With the observation on stdout, the report moves to stderr, so that stdout is nothing but JSON.
  std::FILE* report = options.json_path == "-" ? stderr : stdout;
  style.colour = ::isatty(::fileno(report)) == 1;
  style.verbose = options.verbose;
  say_page(report, terminal_report(*observation, verdicts, style));
  if (!options.json_path.empty()) {
    const std::string text = observation_to_json(*observation, verdicts);
    if (options.json_path == "-") {
      say_page(stdout, text + "\n");
    } else if (auto written = write_file(options.json_path, text + "\n"); !written) {
      return print_error(written.error());
    }
  }
  if (!options.script_path.empty() && verdicts.front().code == "wrong_output") {
    const auto script = reproducer_script(*observation, verdicts.front());
    // The verdict stands without it.
    if (!script)
      say(report, "{}\n", script.error().message);
    else if (auto written = write_file(options.script_path, *script); !written)
      return print_error(written.error());
  }
  return exit_code_of(verdicts.front());
}

}  // namespace kbv
