// SPDX-License-Identifier: MIT
// An evaluation again, on the inputs that its published secret gives.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/secret.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "report/reproducer.h"
#include "store/observation_json.h"

namespace kbv {
namespace {

/// A file that must still be the one that was evaluated.
Result<std::string> read_same(const std::string& path, const SourceFile& then, const char* what) {
  KBV_TRY_ASSIGN(std::string bytes, read_file(path, what));
  if (const std::string now = sha256_hex(bytes); now != then.sha256)
    return fail(Fault::usage, "other_file",
                fmt::format("{}: not the {} that was evaluated: its sha256 is {}, and that one's {}", path, what, now,
                            then.sha256));
  return bytes;
}

const CaseResult* find_case(const Observation& observation, const std::string& id) {
  const auto found = std::find_if(observation.cases.begin(), observation.cases.end(),
                                  [&](const CaseResult& result) { return result.id == id; });
  return found == observation.cases.end() ? nullptr : &*found;
}

/// How the untimed cases compare: the inputs are the same, and so should the errors be.
struct Agreement {
  int cases = 0, same = 0;
  double largest_tau_change = 0;
};

Agreement agreement_of(const Observation& then, const Observation& now) {
  Agreement agreement;
  for (const CaseResult& result : then.cases) {
    const CaseResult* again = find_case(now, result.id);
    if (!again || result.kind == "timed" || result.outputs.size() != again->outputs.size() ||
        result.seed != again->seed)
      continue;
    ++agreement.cases;
    bool same = result.ran == again->ran && result.dropped == again->dropped;
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
      const CompareStats &a = result.outputs[i].stats, &b = again->outputs[i].stats;
      same = same && a.tau == b.tau && a.unequal == b.unequal && a.nonfinite == b.nonfinite &&
             a.sum_sq_diff == b.sum_sq_diff;
      agreement.largest_tau_change = std::max(agreement.largest_tau_change, std::abs(a.tau - b.tau));
    }
    agreement.same += same;
  }
  return agreement;
}

std::string machine_of(const MachineFacts& facts) {
  return fmt::format("{}, PyTorch {}{}", facts.device.empty() ? "CPU" : facts.device, facts.torch,
                     facts.cuda.empty() ? "" : ", CUDA " + facts.cuda);
}

}  // namespace

int run_replay(const ReplayOptions& options) {
  const auto protocol = find_protocol(options.protocol);
  if (!protocol) return print_error(protocol.error());
  const auto text = read_file(options.observation_path, "observation");
  if (!text) return print_error(text.error());
  const auto then = observation_from_json(*text, options.observation_path);
  if (!then) return print_error(then.error());
  const Verdict before = judge_observation(*then, *protocol);

  if (!options.script_path.empty()) {
    const auto script = reproducer_script(*then, before);
    if (!script) return print_error(script.error());
    if (auto written = write_file(options.script_path, *script); !written) return print_error(written.error());
    say(stdout, "{}: shows {} in plain PyTorch; run it as: python {} PROBLEM CANDIDATE\n", options.script_path,
        before.worst_case, options.script_path);
    return k_exit_correct;
  }

  EvaluateOptions again = options.evaluate;
  again.problem_path = options.problem_path.empty() ? then->problem.path : options.problem_path;
  again.candidate_path = options.candidate_path.empty() ? then->candidate.path : options.candidate_path;
  auto problem = read_same(again.problem_path, then->problem, "problem");
  if (!problem) return print_error(problem.error());
  auto candidate = read_same(again.candidate_path, then->candidate, "candidate");
  if (!candidate) return print_error(candidate.error());
  again.problem_source = std::move(*problem);
  again.candidate_source = std::move(*candidate);
  again.size = then->size;
  again.constants = then->constants;
  again.secret_hex = then->secret;
  const auto trials = std::count_if(then->cases.begin(), then->cases.end(),
                                    [](const CaseResult& result) { return result.kind == "trial"; });
  again.trials = std::max(again.trials, static_cast<int>(trials));
  again.timing = again.timing && !then->timing.ended_by.empty();
  SessionOptions session_options = options.session;
  session_options.precision = then->precision;
  if (session_options.device == "auto") session_options.device = then->machine.backend == "cuda" ? "cuda" : "cpu";

  auto session = Session::open(session_options);
  if (!session) return print_error(session.error());
  (*session)->apply(again);
  const EvaluateContext context = (*session)->context();
  const auto now = evaluate(context, again);
  if (!now) return print_error(now.error());
  const Verdict after = judge_observation(*now, *protocol);
  if (after.code == "machine_error") return print_error({Fault::machine, "machine_error", after.reason, {}});

  say(stdout, "then: {}, {}, {}\n      {}\n", before.code, then->started_at, machine_of(then->machine), before.reason);
  say(stdout, "now:  {}, {}, {}\n      {}\n", after.code, now->started_at, machine_of(now->machine), after.reason);
  const Agreement agreement = agreement_of(*then, *now);
  say(stdout, "{} of {} untimed cases gave the same errors to the last bit; the largest changed by {:.3g}\n",
      agreement.same, agreement.cases, agreement.largest_tau_change);
  bool agree = true;
  for (const Protocol& rules : builtin_protocols()) {
    const std::string old_code = judge_observation(*then, rules).code, new_code = judge_observation(*now, rules).code;
    if (old_code != new_code) say(stdout, "{}: {} then, {} now\n", rules.name, old_code, new_code);
    agree = agree && old_code == new_code;
  }
  say(stdout, "{}\n", agree ? "it agrees: the same verdict under every protocol" : "it does not agree");
  return agree ? k_exit_correct : k_exit_rejected;
}

}  // namespace kbv
