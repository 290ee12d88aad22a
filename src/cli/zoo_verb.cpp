// SPDX-License-Identifier: MIT
// Runs the labelled candidates: the verifier's own examination.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/printable.h"
#include "base/secret.h"
#include "base/version.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "os/interrupt.h"
#include "problem/suite.h"
#include "problem/zoo_manifest.h"
#include "report/report.h"
#include "store/observation_json.h"

namespace kbv {
namespace {

constexpr const char* k_protocols[] = {"attested", "kernelbench", "verified"};

struct ZooOutcome {
  std::string skipped;  ///< why it was not run
  std::string error;    ///< why there is no observation
  std::vector<Verdict> verdicts;   ///< by k_protocols; none if there is no observation
  std::vector<std::string> wrong;  ///< each expectation that was not met
  bool no_output = false;          ///< it failed before it gave a single output to compare
  double seconds = 0;
};

std::string skip_reason(const ZooEntry& entry, const Session& session) {
  for (const auto& need : entry.needs) {
    const auto& tools = session.host().toolchain;
    if ((need == "cuda" || need == "triton" || need == "gpu") && !session.cuda()) return "no GPU";
    if (need == "cuda" && tools.nvcc.empty()) return "no nvcc";
    if (need == "triton" && session.host().python.triton_version.empty()) return "Triton is not installed";
    if ((need == "cuda" || need == "cxx") && (tools.cxx.empty() || tools.ninja.empty())) return "no C++ compiler or no ninja";
    if ((need == "cxx" || need == "cpu") && session.cuda()) return "for tensors on the CPU";
  }
  return {};
}

/// Whether it says anything of the candidate.
bool is_decided(const Verdict& verdict) { return is_verdict(verdict.code); }

bool matches(const std::string& expect, const Verdict& verdict) {
  if (!is_decided(verdict)) return false;
  return expect == "rejected" ? !verdict.correct : expect == verdict.code;
}

/// The name of an entry's observation in the folder of --json.
std::string observation_name(const ZooEntry& entry) {
  std::string name = entry.file;
  std::replace(name.begin(), name.end(), '/', '.');
  return file_name_of(name) + ".json";
}

/// What the protocols say of an observation, and whether that is what the manifest says.
void judge_entry(const ZooEntry& entry, const Observation& observation, ZooOutcome& outcome) {
  outcome.no_output = std::none_of(observation.cases.begin(), observation.cases.end(), [](const CaseResult& one) { return one.ran; });
  std::vector<Verdict>& verdicts = outcome.verdicts;
  for (const char* name : k_protocols) {
    verdicts.push_back(judge_observation(observation, *find_protocol(name)));
    const auto other = entry.under.find(name);
    const std::string& expect = other != entry.under.end() ? other->second : entry.expect;
    if ((verdicts.size() == 1 || other != entry.under.end()) && !matches(expect, verdicts.back()))
      outcome.wrong.push_back(fmt::format("{}: expected {}, got {}", name, expect, verdicts.back().code));
  }
}

/// Whether the box told of the call that it must have refused. Not asked where it can't tell, or the layer is missing.
void judge_refusal(const ZooEntry& entry, const Observation& observation, ZooOutcome& outcome) {
  const auto colon = entry.stopped_by.find(": ");
  const auto& layers = observation.isolation_layers;
  const auto untold = [](const std::string& missing) { return missing.rfind("seccomp notices:", 0) == 0; };
  if (colon == std::string::npos || std::find(layers.begin(), layers.end(), entry.stopped_by.substr(0, colon)) == layers.end() ||
      std::any_of(observation.isolation_missing.begin(), observation.isolation_missing.end(), untold))
    return;
  const auto is_it = [&](const RefusedCall& call) { return call.layer + ": " + call.call == entry.stopped_by; };
  if (std::none_of(observation.refused_calls.begin(), observation.refused_calls.end(), is_it))
    outcome.wrong.push_back("expected to be stopped by " + entry.stopped_by + ", which refused nothing");
}

/// The outcome of an evaluation that was made before.
ZooOutcome recall_entry(const ZooEntry& entry, const std::string& folder) {
  ZooOutcome outcome;
  const std::string path = folder + "/" + observation_name(entry);
  if (!std::filesystem::exists(path)) {
    outcome.skipped = "no observation";
    return outcome;
  }
  auto text = read_file(path, "observation", 256u << 20);
  auto observation = text ? observation_from_json(*text, path) : tl::make_unexpected(text.error());
  if (!observation) outcome.error = observation.error().message;
  else {
    judge_entry(entry, *observation, outcome);
    judge_refusal(entry, *observation, outcome);
    outcome.seconds = observation->wall_seconds;
  }
  return outcome;
}

/// What an earlier run into the same folder found of the same two files, with this kbv on such a device. Nothing if it came to no verdict.
std::optional<ZooOutcome> earlier_outcome(const ZooEntry& entry, const ZooVerbOptions& options, const EvaluateOptions& now, const Session& session) {
  const std::string path = options.json_folder + "/" + observation_name(entry);
  if (!options.go_on || !std::filesystem::exists(path)) return {};
  const auto text = read_file(path, "observation", 256u << 20);
  const auto observation = text ? observation_from_json(*text, path) : tl::make_unexpected(text.error());
  const auto candidate = read_file(now.candidate_path, "candidate"), problem = read_file(now.problem_path, "problem");
  if (!observation || !candidate || !problem || observation->kbv_version != k_version ||
      observation->machine.backend != (session.cuda() ? "cuda" : "host") || observation->candidate.sha256 != sha256_hex(*candidate) ||
      observation->problem.sha256 != sha256_hex(*problem))
    return {};
  ZooOutcome outcome = recall_entry(entry, options.json_folder);
  if (outcome.verdicts.empty() || !is_decided(outcome.verdicts[0])) return {};
  return outcome;
}

ZooOutcome run_entry(Session& session, const ZooEntry& entry, const ZooVerbOptions& options, const std::string& zoo,
                     const std::string& suite, References& references) {
  ZooOutcome outcome;
  outcome.skipped = skip_reason(entry, session);
  if (!outcome.skipped.empty()) return outcome;
  EvaluateOptions evaluate_options = options.evaluate;
  evaluate_options.candidate_path = zoo + "/" + entry.file;
  evaluate_options.problem_path = suite + "/" + entry.problem + ".py";
  evaluate_options.size = !options.size.empty() || !options.suite.empty() ? options.size : session.cuda() ? "gpu" : "cpu";
  session.apply(evaluate_options);
  if (auto earlier = earlier_outcome(entry, options, evaluate_options, session)) return *std::move(earlier);
  if (entry.timeout_s > 0) {
    evaluate_options.stages.call_s = entry.timeout_s;
    evaluate_options.stages.build_s = std::max(4 * entry.timeout_s, 120.0);  // nvcc needs a minute beside others
    evaluate_options.stages.load_s = std::max(entry.timeout_s, 30.0);
  }
  const auto start = Clock::now();
  EvaluateContext context = session.context();
  context.references = &references;
  auto observation = evaluate(context, evaluate_options);
  outcome.seconds = seconds_since(start);
  if (!observation) {
    outcome.error = observation.error().message;
    return outcome;
  }
  judge_entry(entry, *observation, outcome);
  judge_refusal(entry, *observation, outcome);
  if (!options.json_folder.empty())
    if (auto written = write_file(options.json_folder + "/" + observation_name(entry), observation_to_json(*observation, outcome.verdicts)); !written)
      outcome.error = written.error().message;
  return outcome;
}

/// How many candidates of one kind each protocol accepts.
struct Tally {
  int candidates = 0, undecided = 0, no_output = 0;
  std::array<int, std::size(k_protocols)> accepted{};

  void add(const ZooOutcome& outcome) {
    ++candidates;
    const bool decided = !outcome.verdicts.empty() && is_decided(outcome.verdicts[0]);
    undecided += !decided;
    no_output += decided && outcome.no_output;
    for (std::size_t p = 0; decided && p < outcome.verdicts.size(); ++p) accepted[p] += outcome.verdicts[p].correct;
  }
};

/// Prints the table by group and the last line; true if every candidate got the verdict that the manifest names.
bool print_summary(const std::vector<ZooEntry>& entries, const std::vector<ZooOutcome>& outcomes) {
  std::map<std::pair<std::string, bool>, Tally> groups;
  Tally pass, fail;
  int skipped = 0, other = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ZooOutcome& outcome = outcomes[i];
    if (!outcome.skipped.empty()) {
      ++skipped;
      continue;
    }
    (entries[i].must_pass() ? pass : fail).add(outcome);
    groups[{entries[i].group, !entries[i].must_pass()}].add(outcome);
    // A right decision for another reason than the manifest's, or no decision at all, is a failure too.
    other += outcome.verdicts.empty() || !outcome.wrong.empty();
  }
  std::size_t width = 5;
  for (const auto& [key, tally] : groups) width = std::max(width, key.first.size());
  // A candidate that does not compile, or crashes at once, is rejected by whatever check there is: the share that a check rejects is
  // told of those that gave an output.
  say(stdout, "\n{:<{}}  must  candidates  no output", "group", width);
  for (const char* name : k_protocols) say(stdout, "  {:>20}", fmt::format("accepted, {}", name));
  say(stdout, "\n");
  const auto row = [&](const std::string& name, bool must_fail, const Tally& tally) {
    say(stdout, "{:<{}}  {}  {:>10}  {:>9}", name, width, must_fail ? "fail" : "pass", tally.candidates, tally.no_output);
    const int judged = tally.candidates - tally.undecided - tally.no_output;
    for (const int count : tally.accepted)
      say(stdout, "  {:>20}", must_fail && judged > 0 ? fmt::format("{}, {:.1f} % killed", count, 100.0 * (judged - count) / judged)
                                                     : std::to_string(count));
    say(stdout, "{}\n", tally.undecided > 0 ? fmt::format("  ({} without a verdict)", tally.undecided) : "");
  };
  for (const auto& [key, tally] : groups) row(key.first, key.second, tally);
  if (groups.size() > 2) {
    row("all", false, pass);
    row("all", true, fail);
  }
  const int rejected = pass.candidates - pass.accepted[0], accepted = fail.accepted[0];
  if (other > 0) say(stdout, "{} of {} did not get the verdict that the manifest names\n", other, pass.candidates + fail.candidates);
  say(stdout, "zoo: {} must-pass, {} rejected; {} must-fail, {} accepted; {} skipped\n", pass.candidates, rejected, fail.candidates,
             accepted, skipped);
  return rejected == 0 && accepted == 0 && other == 0;
}

/// honest/..., wrong/..., hostile/... as three runs of KernelBench's form, samples numbered in the manifest's order.
Result<int> write_runs(const std::vector<ZooEntry>& entries, const Session& session, const std::string& zoo, const std::string& suite_folder,
                       const std::string& out) {
  KBV_TRY_ASSIGN(const Suite suite, read_suite(suite_folder));
  std::map<std::pair<std::string, const SuiteProblem*>, int> samples;
  int written = 0, skipped = 0;
  for (const auto& entry : entries) {
    const std::string path = std::filesystem::weakly_canonical(suite_folder + "/" + entry.problem + ".py").string();
    const auto problem = std::find_if(suite.problems.begin(), suite.problems.end(), [&](const auto& one) { return one.path == path; });
    if (problem == suite.problems.end())
      return fail(Fault::usage, "no_problem", fmt::format("{}: its problem {} is not one of {}", entry.file, entry.problem, suite_folder));
    if (!skip_reason(entry, session).empty()) {
      ++skipped;
      continue;
    }
    const std::string run = entry.file.substr(0, entry.file.find('/'));
    std::error_code error;
    std::filesystem::create_directories(out + "/" + run, error);
    KBV_TRY_ASSIGN(const std::string source, read_file(zoo + "/" + entry.file, "candidate"));
    KBV_TRY(write_file(fmt::format("{}/{}/level_{}_problem_{}_sample_{}_kernel.py", out, run, problem->level, problem->number,
                                   samples[{run, &*problem}]++),
                       source));
    ++written;
  }
  say(stdout, "{} candidates written to {}; {} skipped, which need another machine\n", written, out, skipped);
  return k_exit_correct;
}

}  // namespace

int run_zoo(const ZooVerbOptions& options) {
  Result<std::string> zoo = options.folder.empty() ? data_path("zoo") : Result<std::string>(options.folder);
  if (!zoo) return print_error(zoo.error());
  const Result<std::string> suite = options.suite.empty() ? data_path("suite") : Result<std::string>(options.suite);
  if (!suite) return print_error(suite.error());
  auto entries = read_zoo_manifest(*zoo + "/zoo.toml");
  if (!entries) return print_error(entries.error());
  if (!options.only.empty())
    std::erase_if(*entries, [&](const ZooEntry& entry) {
      return std::none_of(options.only.begin(), options.only.end(),
                          [&](const std::string& part) { return entry.file.find(part) != std::string::npos; });
    });
  if (entries->empty()) return print_error({Fault::usage, "no_match", "--only: no candidate matches", {}});
  const bool recall = !options.from.empty();
  auto session = recall ? Result<std::unique_ptr<Session>>() : Session::open(options.session);
  if (!session) return print_error(session.error());
  if (!options.runs_folder.empty()) {
    const auto written = write_runs(*entries, **session, *zoo, *suite, options.runs_folder);
    return written ? *written : print_error(written.error());
  }
  if (options.go_on && options.json_folder.empty())
    return print_error({Fault::usage, "bad_usage", "--continue: needs --json, the folder of the earlier run", {}});
  if (!options.json_folder.empty()) std::filesystem::create_directories(options.json_folder);

  std::vector<ZooOutcome> outcomes(entries->size());
  std::atomic<std::size_t> next{0};
  std::mutex printing;
  std::size_t width = 0;
  for (const auto& entry : *entries) width = std::max(width, entry.file.size());
  References references;
  const auto work = [&] {
    while (!interrupted()) {
      const std::size_t i = next++;
      if (i >= entries->size()) return;
      const ZooEntry& entry = (*entries)[i];
      ZooOutcome outcome =
          recall ? recall_entry(entry, options.from) : run_entry(**session, entry, options, *zoo, *suite, references);
      const std::lock_guard lock(printing);
      std::string line = fmt::format("{:<{}}  ", entry.file, width);
      if (!outcome.skipped.empty()) {
        line += "skipped: " + outcome.skipped;
      } else if (outcome.verdicts.empty()) {
        line += "ERROR: " + outcome.error;
      } else {
        line += fmt::format("{:<7} {:<15} {:5.1f} s  {}", outcome.wrong.empty() ? "ok" : "WRONG", outcome.verdicts[0].code,
                            outcome.seconds, outcome.verdicts[0].reason);
      }
      say(stdout, "{}\n", line);
      for (const auto& wrong : outcome.wrong) say(stdout, "    {}\n", wrong);
      std::fflush(stdout);
      outcomes[i] = std::move(outcome);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.session.jobs; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  if (interrupted()) return print_error({Fault::machine, "interrupted", "interrupted", {}});

  return print_summary(*entries, outcomes) ? k_exit_correct : k_exit_rejected;
}

}  // namespace kbv
