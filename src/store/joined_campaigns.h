// SPDX-License-Identifier: MIT
// Several campaigns as one: their problems joined, their runs named apart. For whoever reads several side by side.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "score/leaderboard.h"
#include "store/campaign.h"

namespace kbv {

/// Without source and observation.
struct JoinedCandidate {
  std::size_t campaign = 0;
  std::size_t problem = 0;  ///< index in JoinedCampaigns::problems()
  CampaignCandidate candidate;
};

class JoinedCampaigns {
 public:
  /// Opens them to read. Usage errors: none given, one given twice.
  static Result<JoinedCampaigns> open(const std::vector<std::string>& paths);

  std::size_t size() const { return campaigns_.size(); }
  Campaign& campaign(std::size_t index) { return *campaigns_[index]; }

  /// Adds the problems of all campaigns, by level and number; whoever joins the same files has the same list. Once.
  Result<void> add_problems();
  /// Adds a problem of a campaign, or finds it; its index in problems().
  Result<std::size_t> add_problem(std::size_t campaign, const LeaderboardProblem& problem);
  const std::vector<LeaderboardProblem>& problems() const { return problems_; }

  /// All candidates, campaign by campaign, after add_problems(); label() knows of them from then on.
  Result<std::vector<JoinedCandidate>> add_candidates();

  /// To be told of every sample before label() is asked.
  void add_sample(std::size_t campaign, const std::string& run, std::size_t problem, int sample);
  /// What a campaign's run is called: its name, and the file where two files hold the same sample.
  std::string label(std::size_t campaign, const std::string& run) const;
  /// For each label, the problems of the campaigns that it is in.
  std::map<std::string, std::vector<std::size_t>> problems_of() const;

 private:
  std::vector<std::unique_ptr<Campaign>> campaigns_;
  std::vector<LeaderboardProblem> problems_;
  std::map<std::pair<int, int>, std::size_t> by_number_;
  std::vector<std::map<std::int64_t, std::size_t>> index_of_;  ///< of each campaign: a problem's id, its index
  std::vector<std::size_t> known_by_;                  ///< for each problem, the campaign that its bytes come from
  std::vector<std::set<std::size_t>> problems_in_;     ///< of each campaign
  std::map<std::string, std::set<std::size_t>> runs_;  ///< the campaigns of each
  std::map<std::tuple<std::string, std::size_t, int>, std::size_t>
      samples_;                  ///< run, problem, sample: the first campaign that holds it
  std::set<std::string> apart_;  ///< runs that are to be told apart
};

/// The problems of `joined` and whose they are, less what `rules`, a protocol's name, exclude.
void take_problems(const JoinedCampaigns& joined, const std::string& rules, LeaderboardInput& input);

/// The sections of read_leaderboard().
Result<void> read_observed(JoinedCampaigns& joined, const Protocol& protocol, std::optional<double> tolerance,
                           LeaderboardInput& input);
Result<void> read_recorded(JoinedCampaigns& joined, const std::string& baseline, LeaderboardInput& input);

}  // namespace kbv
