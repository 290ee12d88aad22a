// SPDX-License-Identifier: MIT
#include "store/leaderboard_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "store/joined_campaigns.h"

namespace kbv {
namespace {

constexpr std::array k_baselines{"eager", "tf32_off", "tf32_on", "compile"};

std::string statistic_of(const Protocol& protocol) {
  if (protocol.mean_of_calls == 0)
    return "median of the rounds' ratios; only times that stand clear of the instrument count";
  return fmt::format("ratio of the means of the first {} calls, by the judge's clock", protocol.mean_of_calls);
}

/// A candidate without an observation: the machine failed, or nobody came to it yet.
Result<SampleScore> unobserved(Campaign& campaign, std::int64_t candidate) {
  KBV_TRY_ASSIGN(const auto failures, campaign.failures(candidate));
  SampleScore score;
  if (!failures.empty()) score.code = "machine_error";
  return score;
}

Result<LeaderboardInput> observed_input(JoinedCampaigns& joined, const LeaderboardRequest& request) {
  KBV_TRY_ASSIGN(Protocol protocol, find_protocol(request.protocol));
  for (const std::string& name : {request.baseline, request.fp32_baseline})
    if (!name.empty() && std::find(k_baselines.begin(), k_baselines.end(), name) == k_baselines.end())
      return fail(Fault::usage, "no_baseline",
                  fmt::format("{} is no baseline: there are {}, {}, {} and {}", name, k_baselines[0], k_baselines[1],
                              k_baselines[2], k_baselines[3]));
  if (!request.baseline.empty()) protocol.baseline = request.baseline;
  LeaderboardInput input = input_for(protocol);
  input.tolerance = request.tolerance;
  input.tolerances = request.tolerances;
  input.fp32_baseline = request.fp32_baseline;
  KBV_TRY(read_observed(joined, protocol, request.tolerance, input));
  return input;
}

Result<LeaderboardInput> recorded_input(JoinedCampaigns& joined, const LeaderboardRequest& request) {
  if (request.tolerance)
    return fail(Fault::usage, "no_tolerance",
                "what was recorded has the tolerance that it was judged by; --tolerance can't change it");
  LeaderboardInput input;
  input.protocol = "recorded";
  input.statistic = "ratio of recorded means";
  input.fp32_baseline = "torch";
  input.tf32_baseline = "torch_tf32";
  KBV_TRY(read_recorded(joined, request.baseline, input));
  return input;
}

}  // namespace

LeaderboardInput input_for(const Protocol& protocol) {
  LeaderboardInput input;
  input.protocol = protocol.name;
  input.baseline = protocol.baseline;
  input.statistic = statistic_of(protocol);
  input.memory = protocol.memory;
  return input;
}

void take_problems(const JoinedCampaigns& joined, const std::string& rules, LeaderboardInput& input) {
  input.problems = joined.problems();
  for (LeaderboardProblem& problem : input.problems) problem.excluded = exclusion(rules, problem.sha256);
  input.problems_of = joined.problems_of();
}

Result<void> read_observed(JoinedCampaigns& joined, const Protocol& protocol, std::optional<double> tolerance,
                           LeaderboardInput& input) {
  KBV_TRY(joined.add_problems());
  KBV_TRY_ASSIGN(const auto candidates, joined.add_candidates());
  for (const JoinedCandidate& one : candidates) {
    Campaign& campaign = joined.campaign(one.campaign);
    KBV_TRY_ASSIGN(const auto observation, campaign.observation(one.candidate.id));
    LeaderboardSample sample;
    if (observation) {
      sample = score_fully(*observation, protocol, tolerance, input.tolerances);
    } else {
      KBV_TRY_ASSIGN(sample.score, unobserved(campaign, one.candidate.id));
    }
    sample.run = joined.label(one.campaign, one.candidate.run);
    sample.problem = one.problem;
    sample.sample = one.candidate.sample;
    input.samples.push_back(std::move(sample));
  }
  take_problems(joined, protocol.name, input);
  return {};
}

Result<LeaderboardInput> read_leaderboard(const std::vector<std::string>& campaigns,
                                          const LeaderboardRequest& request) {
  KBV_TRY_ASSIGN(JoinedCampaigns joined, JoinedCampaigns::open(campaigns));
  KBV_TRY_ASSIGN(LeaderboardInput input,
                 request.protocol == "recorded" ? recorded_input(joined, request) : observed_input(joined, request));
  if (input.samples.empty())
    input.notes.push_back(request.protocol == "recorded" ? "no recorded results are in there (kbv import)"
                                                         : "no candidates are in there (kbv run)");
  return input;
}

}  // namespace kbv
