// SPDX-License-Identifier: MIT
// Evaluates the candidates of run folders into a campaign.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/secret.h"
#include "base/version.h"
#include "cli/campaign_runner.h"
#include "cli/say.h"
#include "cli/selection.h"
#include "cli/verbs.h"
#include "problem/run_folder.h"
#include "problem/suite.h"
#include "report/report.h"

namespace kbv {
namespace {

constexpr std::uint64_t k_max_source_bytes = 4u << 20;
constexpr std::size_t k_max_named = 5;  // of many files of one kind, in a message

/// What a person is told of many of one kind.
void tell(const std::string& what, const std::vector<std::string>& names) {
  if (names.empty()) return;
  say(stderr, "kbv: {} {}:\n", names.size(), what);
  for (std::size_t i = 0; i < std::min(names.size(), k_max_named); ++i) say(stderr, "  {}\n", names[i]);
  if (names.size() > k_max_named) say(stderr, "  ... and {} more\n", names.size() - k_max_named);
}

/// The candidates that are asked for and answer a problem of the suite.
Result<std::vector<RunCandidate>> find_candidates(const RunVerbOptions& options, const Suite& suite,
                                                  const ProblemSelection& problems) {
  KBV_TRY_ASSIGN(const auto samples, parse_ranges(options.samples, "--samples"));
  std::vector<RunCandidate> found;
  std::vector<std::string> skipped, unknown;
  std::set<std::tuple<std::string, int, int, int>> places;
  for (const auto& folder : options.folders) {
    KBV_TRY_ASSIGN(RunFolder run, read_run_folder(folder, options.level));
    skipped.insert(skipped.end(), run.skipped.begin(), run.skipped.end());
    for (const auto& [name, precision] : run.runs)
      if ((precision == "bf16" || precision == "fp16") && options.session.precision == "native")
        return fail(Fault::usage, "precision",
                    fmt::format("{}: its generation_config.yaml says that run {} was made for {}: give --precision",
                                folder, name, precision));
    for (RunCandidate& one : run.candidates) {
      if (!options.run.empty()) one.run = options.run;
      if (!contains(samples, one.sample) || !problems.contains(one.level, one.number)) continue;
      if (!suite.find(one.level, one.number)) {
        unknown.push_back(fmt::format("{}: {} has no level {} no. {}", one.path, suite.name, one.level, one.number));
        continue;
      }
      if (!places.emplace(one.run, one.level, one.number, one.sample).second)
        return fail(Fault::usage, "twice",
                    fmt::format("{}: run {} has a sample {} of level {} no. {} already", one.path, one.run, one.sample,
                                one.level, one.number));
      found.push_back(std::move(one));
    }
  }
  tell("Python files are no candidates", skipped);
  tell("candidates answer no problem of the suite", unknown);
  if (found.empty()) return fail(Fault::usage, "no_match", "no candidate is left to evaluate");
  return found;
}

/// What must stay the same for the results of one campaign to be comparable.
std::map<std::string, std::string> settings_of(const RunVerbOptions& options, const std::string& size,
                                               const Session& session, const std::string& device) {
  const EvaluateOptions& evaluate = options.evaluate;
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  return {{"size", size},
          {"precision", options.session.precision},
          {"device", device},
          {"torch", session.host().python.torch_version},
          {"isolation", options.session.isolation},
          {"trials", std::to_string(evaluate.trials)},
          {"families", yes(evaluate.families)},
          {"parameters", yes(evaluate.parameters)},
          {"all_cases", yes(evaluate.all_cases)},
          {"timing", yes(evaluate.timing)},
          {"compile_baseline", yes(evaluate.compile_baseline)},
          {"warm", yes(evaluate.warm)},
          {"time_budget_s", fmt::format("{:g}", evaluate.sampling.budget_s)},
          {"max_calls", std::to_string(evaluate.sampling.max_calls)},
          {"time_precision", fmt::format("{:g}", evaluate.sampling.precision)}};
}

Result<void> keep_settings(Campaign& campaign, const std::map<std::string, std::string>& wanted, const Suite& suite) {
  KBV_TRY_ASSIGN(const auto had, campaign.settings());
  for (const auto& [name, value] : wanted)
    if (const auto found = had.find(name); found != had.end() && found->second != value)
      return fail(
          Fault::usage, "other_settings",
          fmt::format(
              "{}: its results were made with {} = {}, and now it is {}: results of the two can't be in one campaign",
              campaign.path(), name, found->second, value));
  const std::map<std::string, std::string> origin = {{"suite", suite.name},
                                                     {"suite_version", suite.version},
                                                     {"suite_fingerprint", suite.fingerprint},
                                                     {"kbv_version", k_version}};
  for (const auto* all : {&wanted, &origin})
    for (const auto& [name, value] : *all)
      if (had.find(name) == had.end()) KBV_TRY(campaign.set(name, value));
  return {};
}

/// Problems of the levels that are asked for, whether a candidate answers them or not: they are what a share is a share
/// of.
Result<void> add_problems(Campaign& campaign, const Suite& suite, const ProblemSelection& selection,
                          const std::vector<RunCandidate>& candidates) {
  std::set<int> levels;
  for (const auto& one : candidates) levels.insert(one.level);
  for (const auto& problem : suite.problems) {
    if (!levels.contains(problem.level) || !selection.contains(problem.level, problem.number)) continue;
    KBV_TRY_ASSIGN(std::string source, read_file(problem.path, "problem"));
    // The suite was read a moment ago.
    if (sha256_hex(source) != problem.sha256)
      return fail(Fault::usage, "suite_changed", problem.path + ": it changes at this moment");
    KBV_TRY(campaign.add_problem({0, problem.level, problem.number, problem.name, problem.sha256, std::move(source)}));
  }
  return {};
}

Result<std::vector<RunnerJob>> add_candidates(Campaign& campaign, const Suite& suite,
                                              const std::vector<CampaignProblem>& problems,
                                              std::vector<RunCandidate> candidates) {
  // Those of one problem one after the other: what its reference needs is still at hand then.
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return std::tie(a.level, a.number, a.sample, a.run) < std::tie(b.level, b.number, b.sample, b.run);
  });
  std::vector<RunnerJob> jobs;
  for (const auto& one : candidates) {
    const auto problem = std::find_if(problems.begin(), problems.end(), [&](const auto& known) {
      return known.level == one.level && known.number == one.number;
    });
    KBV_TRY_ASSIGN(std::string source, read_file(one.path, "candidate", k_max_source_bytes));
    const std::string sha256 = sha256_hex(source);
    RunnerJob job;
    KBV_TRY_ASSIGN(job.candidate,
                   campaign.add_candidate({0, one.run, problem->id, one.sample, one.path, sha256, std::move(source)}));
    job.label = fmt::format("{} level {} no. {} sample {}", one.run, one.level, one.number, one.sample);
    job.problem = &*problem;
    job.problem_path = suite.find(one.level, one.number)->path;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<std::vector<std::unique_ptr<Session>>> open_sessions(const RunVerbOptions& options) {
  std::vector<std::string> devices;
  for (const auto& device : options.devices)
    devices.push_back(device.find_first_not_of("0123456789") == std::string::npos ? "cuda:" + device : device);
  if (devices.empty()) devices.push_back(options.session.device);
  if (std::set<std::string>(devices.begin(), devices.end()).size() < devices.size())
    return fail(Fault::usage, "bad_device", "--devices: a device is named twice");
  std::vector<std::unique_ptr<Session>> sessions;
  for (const auto& device : devices) {
    SessionOptions session = options.session;
    session.device = device;
    KBV_TRY_ASSIGN(auto opened, Session::open(session));
    if (!sessions.empty() && opened->device().info().name != sessions[0]->device().info().name)
      return fail(Fault::usage, "bad_device",
                  fmt::format("--devices: {} is another kind of device than {}: their times can't be compared", device,
                              devices[0]));
    sessions.push_back(std::move(opened));
  }
  return sessions;
}

/// Builds run beside the one that has the device, which needs a core of its own for judge and worker each.
int default_jobs(bool cuda, std::size_t devices) {
  const int cpus = static_cast<int>(std::thread::hardware_concurrency());
  return cuda ? std::clamp(cpus / 2, static_cast<int>(2 * devices), 16) : 1;
}

void print_summary(RunProgress& progress, const std::string& campaign) {
  const RunState state = progress.state();
  say(stdout, "{} judged in {}", state.done, rough_duration(state.elapsed_s));
  if (state.done > 0) say(stdout, " ({:.0f} an hour)", 3600 * static_cast<double>(state.done) / state.elapsed_s);
  if (state.failed > 0) say(stdout, "; {} not, by no fault of theirs: start again to try once more", state.failed);
  say(stdout, "\n");
  std::vector<std::pair<double, std::string>> stages;
  for (const auto& [stage, seconds] : progress.stage_seconds())
    stages.emplace_back(-seconds / static_cast<double>(std::max<std::size_t>(state.done, 1)), stage);
  std::sort(stages.begin(), stages.end());
  std::string line;
  for (const auto& [seconds, stage] : stages)
    if (-seconds >= 0.005) line += fmt::format("{}{} {:.2f}", line.empty() ? "" : ", ", stage, -seconds);
  if (!line.empty()) say(stdout, "seconds a candidate, by stage: {}\n", line);
  say(stdout, "next: kbv score {0}; kbv show {0}; kbv report {0} -o report.html\n", campaign);
}

Result<int> run(const RunVerbOptions& options) {
  KBV_TRY_ASSIGN(const Suite suite, find_suite(options.suite));
  KBV_TRY_ASSIGN(const auto selection, ProblemSelection::parse(options.only));
  KBV_TRY_ASSIGN(const auto candidates, find_candidates(options, suite, selection));
  KBV_TRY_ASSIGN(auto sessions, open_sessions(options));
  Session& first = *sessions[0];
  RunnerOptions runner_options;
  runner_options.jobs = options.session.jobs > 0 ? options.session.jobs : default_jobs(first.cuda(), sessions.size());
  runner_options.give_up = std::max(runner_options.give_up, runner_options.jobs);
  for (auto& session : sessions) session->set_jobs(runner_options.jobs);
  EvaluateOptions evaluate_options = options.evaluate;
  std::string& size = evaluate_options.size;
  if (size.empty() && suite.name == k_own_suite) size = first.cuda() ? "gpu" : "cpu";

  KBV_TRY_ASSIGN(const auto campaign, Campaign::open(options.campaign));
  std::vector<CampaignProblem> problems;
  std::vector<RunnerJob> jobs;
  const auto fill = [&]() -> Result<void> {
    KBV_TRY(keep_settings(*campaign, settings_of(options, size, first, first.device().info().name), suite));
    KBV_TRY(add_problems(*campaign, suite, selection, candidates));
    KBV_TRY_ASSIGN(problems, campaign->problems());
    KBV_TRY_ASSIGN(jobs, add_candidates(*campaign, suite, problems, candidates));
    return {};
  };
  KBV_TRY(campaign->together(fill));
  KBV_TRY_ASSIGN(const auto observed, campaign->observed());
  const std::size_t all = jobs.size();
  std::erase_if(
      jobs, [&](const RunnerJob& job) { return std::binary_search(observed.begin(), observed.end(), job.candidate); });
  say(stdout, "{} candidates, {} judged already; suite {} ({}), {} at once on {}\n", all, all - jobs.size(), suite.name,
      suite.version, runner_options.jobs, first.device().info().name);
  std::fflush(stdout);

  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  RunProgress progress(jobs.size(), stdout, terminal);
  std::vector<References> references(sessions.size());
  const auto evaluate_job = [&](const RunnerJob& job, const CampaignCandidate& candidate, std::size_t thread,
                                const std::function<void(const std::string&)>& stage) {
    Session& session = *sessions[thread % sessions.size()];
    EvaluateOptions its = evaluate_options;
    its.problem_path = job.problem_path;
    its.problem_source = job.problem->source;
    its.candidate_path = candidate.path;
    its.candidate_source = candidate.source;
    session.apply(its);
    EvaluateContext context = session.context();
    context.references = &references[thread % sessions.size()];
    context.progress = stage;
    return evaluate(context, its);
  };
  CampaignRunner runner(*campaign, evaluate_job, runner_options, progress);
  const auto done = runner.run(jobs);
  progress.end();
  if (!done && done.error().code == "interrupted") {
    say(stdout, "what was judged is kept; the same command goes on\n");
    return tl::make_unexpected(done.error());
  }
  print_summary(progress, options.campaign);
  if (!done) return tl::make_unexpected(done.error());
  return runner.failed() > 0 ? k_exit_machine : k_exit_correct;
}

}  // namespace

int run_campaign(const RunVerbOptions& options) {
  const auto code = run(options);
  return code ? *code : print_error(code.error());
}

}  // namespace kbv
