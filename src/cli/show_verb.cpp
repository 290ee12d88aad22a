// SPDX-License-Identifier: MIT
// What a campaign holds: a list, or all of one candidate.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/printable.h"
#include "cli/say.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "report/reproducer.h"
#include "report/text.h"
#include "store/campaign.h"
#include "store/observation_json.h"

namespace kbv {
namespace {

using ProblemsById = std::map<std::int64_t, CampaignProblem>;

Result<ProblemsById> problems_by_id(Campaign& campaign) {
  KBV_TRY_ASSIGN(auto problems, campaign.problems());
  ProblemsById all;
  for (auto& problem : problems) all[problem.id] = std::move(problem);
  return all;
}

std::string recorded_text(const RecordedResult* recorded) {
  if (!recorded) return "";
  return recorded_outcome(*recorded) +
         (recorded->runtime_ms ? fmt::format(", {:.3g} ms", *recorded->runtime_ms) : std::string());
}

Result<int> list(Campaign& campaign, const Protocol& protocol) {
  KBV_TRY_ASSIGN(const auto problems, problems_by_id(campaign));
  KBV_TRY_ASSIGN(const auto candidates, campaign.candidates());
  KBV_TRY_ASSIGN(const auto recorded, campaign.recorded());
  std::map<std::tuple<std::string, int, int, int>, const RecordedResult*> recorded_by_place;
  for (const auto& one : recorded)
    if (one.tests == "standard") recorded_by_place[{one.run, one.level, one.number, one.sample}] = &one;
  say(stdout, "{:>6}  {:<24}  {:<40}  {:>6}  {:<15}  {:>9}  {}\n", "id", "run", "problem", "sample", protocol.name,
      "speedup", recorded.empty() ? "" : "recorded");
  for (const auto& one : candidates) {
    const CampaignProblem& problem = problems.at(one.problem);
    KBV_TRY_ASSIGN(const auto observation, campaign.observation(one.id));
    std::string code = "not judged", speed;
    if (observation) {
      const Verdict verdict = judge_observation(*observation, protocol);
      code = verdict.code;
      if (!verdict.speed.empty() && verdict.speed.front().resolved)
        speed = fmt::format("{:.3g}x", verdict.speed.front().speedup.value);
    } else {
      KBV_TRY_ASSIGN(const auto failures, campaign.failures(one.id));
      if (!failures.empty()) code = "machine failed";
    }
    const auto found = recorded_by_place.find({one.run, problem.level, problem.number, one.sample});
    say(stdout, "{:>6}  {}  {}  {:>6}  {:<15}  {:>9}  {}\n", one.id, pad(cut(printable(one.run), 24), 24),
        pad(cut(printable(fmt::format("{}/{}", problem.level, problem.name)), 40), 40), one.sample, code, speed,
        recorded_text(found == recorded_by_place.end() ? nullptr : found->second));
  }
  return k_exit_correct;
}

/// Problem, candidate and observation as files, for kbv replay and other tools.
Result<void> write_files(const std::string& folder, const CampaignProblem& problem, const CampaignCandidate& candidate,
                         const std::optional<Observation>& observation, const std::vector<Verdict>& verdicts) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(Fault::usage, "no_folder", fmt::format("--files: {}: {}", folder, error.message()));
  KBV_TRY(write_file(folder + "/problem.py", problem.source));
  KBV_TRY(write_file(folder + "/candidate.py", candidate.source));
  if (observation)
    KBV_TRY(write_file(folder + "/observation.json", observation_to_json(*observation, verdicts) + "\n"));
  return {};
}

Result<int> show(Campaign& campaign, const ShowOptions& options, const Protocol& protocol) {
  KBV_TRY_ASSIGN(const auto candidate, campaign.candidate(*options.id));
  KBV_TRY_ASSIGN(const auto problems, problems_by_id(campaign));
  const CampaignProblem& problem = problems.at(candidate.problem);
  if (options.source) {
    say_lines(stdout, candidate.source);
    return k_exit_correct;
  }
  KBV_TRY_ASSIGN(const auto observation, campaign.observation(candidate.id));
  KBV_TRY_ASSIGN(const auto failures, campaign.failures(candidate.id));
  say(stdout, "candidate {}: sample {} of run {}, level {} no. {} ({})\n", candidate.id, candidate.sample,
      candidate.run, problem.level, problem.number, problem.name);
  std::vector<Verdict> verdicts;
  if (observation) {
    verdicts.push_back(judge_observation(*observation, protocol));
    for (const auto& other : builtin_protocols())
      if (other.name != protocol.name) verdicts.push_back(judge_observation(*observation, other));
    ReportStyle style;
    style.colour = ::isatty(STDOUT_FILENO) == 1;
    style.verbose = options.verbose;
    say_page(stdout, terminal_report(*observation, verdicts, style));
  } else {
    say(stdout, "not judged yet\n");
  }
  for (const auto& failure : failures)
    say(stdout, "{}: the machine failed it ({}): {}\n", failure.at, failure.code, failure.message);
  if (!options.files.empty()) KBV_TRY(write_files(options.files, problem, candidate, observation, verdicts));
  if (!options.script_path.empty()) {
    if (!observation || verdicts.front().code != "wrong_output")
      return fail(Fault::usage, "no_script", "--script: only a wrong output has one");
    KBV_TRY_ASSIGN(const std::string script, reproducer_script(*observation, verdicts.front()));
    KBV_TRY(write_file(options.script_path, script));
  }
  return k_exit_correct;
}

}  // namespace

int run_show(const ShowOptions& options) {
  const auto protocol = find_protocol(options.protocol);
  if (!protocol) return print_error(protocol.error());
  auto campaign = Campaign::read(options.campaign);
  if (!campaign) return print_error(campaign.error());
  const auto code = options.id ? show(**campaign, options, *protocol) : list(**campaign, *protocol);
  return code ? *code : print_error(code.error());
}

}  // namespace kbv
