// SPDX-License-Identifier: MIT
#include "store/joined_campaigns.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace kbv {

Result<JoinedCampaigns> JoinedCampaigns::open(const std::vector<std::string>& paths) {
  if (paths.empty()) return fail(Fault::usage, "no_campaign", "no campaign is given");
  JoinedCampaigns joined;
  std::set<std::filesystem::path> seen;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
    if (!seen.insert(real).second) return fail(Fault::usage, "campaign_twice", path + " is given twice");
    KBV_TRY_ASSIGN(auto campaign, Campaign::read(path));
    joined.campaigns_.push_back(std::move(campaign));
  }
  joined.problems_in_.resize(joined.campaigns_.size());
  joined.index_of_.resize(joined.campaigns_.size());
  return joined;
}

Result<void> JoinedCampaigns::add_problems() {
  std::vector<std::pair<std::size_t, CampaignProblem>> all;
  for (std::size_t i = 0; i < size(); ++i) {
    KBV_TRY_ASSIGN(auto problems, campaign(i).problems());
    for (CampaignProblem& problem : problems) {
      problem.source.clear();
      all.emplace_back(i, std::move(problem));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.level, a.second.number) < std::tie(b.second.level, b.second.number);
  });
  for (const auto& [campaign, problem] : all) {
    KBV_TRY_ASSIGN(index_of_[campaign][problem.id],
                   add_problem(campaign, {problem.level, problem.number, problem.name, "", problem.sha256}));
  }
  return {};
}

Result<std::vector<JoinedCandidate>> JoinedCampaigns::add_candidates() {
  std::vector<JoinedCandidate> all;
  for (std::size_t i = 0; i < size(); ++i) {
    KBV_TRY_ASSIGN(auto candidates, campaign(i).candidates());
    for (CampaignCandidate& candidate : candidates) {
      const auto problem = index_of_[i].find(candidate.problem);
      if (problem == index_of_[i].end())
        return fail(Fault::usage, "bad_campaign", campaign(i).path() + ": a candidate's problem is not there");
      add_sample(i, candidate.run, problem->second, candidate.sample);
      all.push_back({i, problem->second, std::move(candidate)});
    }
  }
  return all;
}

Result<std::size_t> JoinedCampaigns::add_problem(std::size_t campaign, const LeaderboardProblem& problem) {
  const auto [found, is_new] = by_number_.try_emplace({problem.level, problem.number}, problems_.size());
  const std::size_t index = found->second;
  problems_in_[campaign].insert(index);
  if (is_new) {
    problems_.push_back(problem);
    known_by_.push_back(campaign);
    return index;
  }
  LeaderboardProblem& known = problems_[index];
  if (problem.sha256.empty() || known.sha256 == problem.sha256) return index;
  if (!known.sha256.empty())
    return fail(Fault::usage, "other_problem",
                fmt::format("level {} no. {} is another problem in {} (sha256 {:.12}) than in {} ({:.12}): their runs "
                            "can't stand side by side",
                            problem.level, problem.number, campaigns_[campaign]->path(), problem.sha256,
                            campaigns_[known_by_[index]]->path(), known.sha256));
  known = problem;  // so far it was known by number only
  known_by_[index] = campaign;
  return index;
}

void JoinedCampaigns::add_sample(std::size_t campaign, const std::string& run, std::size_t problem, int sample) {
  runs_[run].insert(campaign);
  const auto [found, is_new] = samples_.try_emplace({run, problem, sample}, campaign);
  if (!is_new && found->second != campaign) apart_.insert(run);
}

std::string JoinedCampaigns::label(std::size_t campaign, const std::string& run) const {
  return apart_.count(run) > 0 ? fmt::format("{} @ {}", run, campaigns_[campaign]->path()) : run;
}

std::map<std::string, std::vector<std::size_t>> JoinedCampaigns::problems_of() const {
  std::map<std::string, std::set<std::size_t>> sets;
  for (const auto& [run, campaigns] : runs_)
    for (const std::size_t campaign : campaigns)
      sets[label(campaign, run)].insert(problems_in_[campaign].begin(), problems_in_[campaign].end());
  std::map<std::string, std::vector<std::size_t>> lists;
  for (const auto& [name, set] : sets) lists[name].assign(set.begin(), set.end());
  return lists;
}

}  // namespace kbv
