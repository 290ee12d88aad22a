// SPDX-License-Identifier: MIT
#include "report/campaign_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "problem/known_problems.h"
#include "report/campaign_facts.h"
#include "report/units.h"
#include "report/web_page.h"
#include "store/joined_campaigns.h"
#include "store/leaderboard_input.h"

namespace kbv {
namespace {

/// From lenient to strict, as the page shows them.
constexpr const char* k_rules[] = {"kernelbench", "verified", "attested"};
constexpr std::size_t k_recorded_shown = 8;

/// The shell's quotes, for commands that a reader may copy.
std::string quoted(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string recorded_words(const RecordedResult& result) {
  std::string words = fmt::format("{}, {} tests: {}", result.harness, result.tests, recorded_outcome(result));
  if (result.runtime_ms) words += fmt::format(", {}", show_us(*result.runtime_ms * 1000));
  if (result.peak_bytes) words += fmt::format(", peak {}", show_bytes(*result.peak_bytes));
  return words;
}

/// A candidate of the joined campaigns, and its number in the page.
struct Item {
  JoinedCandidate joined;
  std::int64_t id = 0;
  std::vector<std::string> recorded;
};

Result<std::vector<Item>> join_items(JoinedCampaigns& joined) {
  KBV_TRY(joined.add_problems());
  std::vector<std::map<std::tuple<std::string, int, int, int>, std::vector<std::string>>> recorded(joined.size());
  for (std::size_t i = 0; i < joined.size(); ++i) {
    KBV_TRY_ASSIGN(const auto results, joined.campaign(i).recorded());
    for (const RecordedResult& result : results)
      if (auto& words = recorded[i][{result.run, result.level, result.number, result.sample}];
          words.size() < k_recorded_shown)
        words.push_back(recorded_words(result));
  }
  KBV_TRY_ASSIGN(auto candidates, joined.add_candidates());
  std::vector<Item> items;
  std::vector<std::int64_t> highest(joined.size() + 1);  // [i + 1]: the largest number in campaign i
  for (const JoinedCandidate& one : candidates)
    highest[one.campaign + 1] = std::max(highest[one.campaign + 1], one.candidate.id);
  std::partial_sum(highest.begin(), highest.end(), highest.begin());  // numbers stay what they are in the first one
  for (JoinedCandidate& one : candidates) {
    const LeaderboardProblem& place = joined.problems()[one.problem];
    const auto found =
        recorded[one.campaign].find({one.candidate.run, place.level, place.number, one.candidate.sample});
    auto words = found == recorded[one.campaign].end() ? std::vector<std::string>() : std::move(found->second);
    const std::int64_t id = highest[one.campaign] + one.candidate.id;
    items.push_back({std::move(one), id, std::move(words)});
  }
  return items;
}

/// The leaderboard of each of the page's rules, and what is beside it.
class PageMaker {
 public:
  PageMaker(JoinedCampaigns& joined, WebPage& page) : joined_(joined), page_(page) {
    for (const char* name : k_rules) {
      protocols_.push_back(find_protocol(name).value());
      inputs_.push_back(input_for(protocols_.back()));
      take_problems(joined, inputs_.back().protocol, inputs_.back());
    }
    inputs_.back().tolerances = LeaderboardRequest().tolerances;
  }

  Result<void> add(Item& item) {
    const CampaignCandidate& candidate = item.joined.candidate;
    Campaign& campaign = joined_.campaign(item.joined.campaign);
    KBV_TRY_ASSIGN(const CampaignCandidate whole, campaign.candidate(candidate.id));
    KBV_TRY_ASSIGN(const auto observation, campaign.observation(candidate.id));
    KBV_TRY_ASSIGN(const auto failures, campaign.failures(candidate.id));
    const std::string run = joined_.label(item.joined.campaign, candidate.run);
    WebCandidate row;
    row.id = item.id;
    row.problem = item.joined.problem;
    row.sample = candidate.sample;
    WebDetails details;
    details.path = candidate.path;
    KBV_TRY_ASSIGN(details.source_key, page_.add_source(whole.source));
    details.source_left_out = whole.source.size() - std::min(whole.source.size(), WebPage::k_source_limit);
    details.recorded = std::move(item.recorded);
    for (const CampaignFailure& failure : failures)
      details.failures.push_back(fmt::format("{}  {}: {}", failure.at, failure.code, failure.message));
    for (std::size_t i = 0; i < protocols_.size(); ++i) {
      LeaderboardSample sample;
      if (observation) {
        details.verdicts.push_back(judge_observation(*observation, protocols_[i]));
        sample = score(*observation, i, details.verdicts.back());
      } else if (!failures.empty()) {
        sample.score.code = "machine_error";
      }
      sample.run = run;
      sample.problem = item.joined.problem;
      sample.sample = candidate.sample;
      row.verdicts.push_back(web_verdict(sample.score));
      inputs_[i].samples.push_back(std::move(sample));
    }
    details.commands = commands(campaign.path(), candidate.id, details.verdicts);
    if (observation) {
      details.observation = &*observation;
      row.labels = observation->labels;
      facts_.add(*observation);
      ++judged_;
    }
    KBV_TRY(page_.add_details(item.id, details));
    rows_.emplace_back(std::move(row), run);
    return {};
  }

  WebInput input(const std::vector<std::string>& paths, const CampaignPageOptions& options) {
    WebInput input;
    input.title = options.title;
    input.facts = facts();
    if (judged_ < rows_.size())
      input.notes.push_back(
          fmt::format("{} of {} candidates have not been judged.", rows_.size() - judged_, rows_.size()));
    add_recorded(paths, input);
    for (const LeaderboardInput& one : inputs_)
      input.rules.push_back({one.protocol == "recorded" ? "What the imported files of other harnesses say"
                                                        : find_protocol(one.protocol).value().title,
                             make_leaderboard(one)});
    add_problems(input);
    // The strictest rules come last, and give the order of the runs.
    std::map<std::string, std::size_t> places;
    for (auto rules = input.rules.rbegin(); rules != input.rules.rend(); ++rules)
      for (const RunScore& run : rules->board.runs)
        if (places.emplace(run.run, input.runs.size()).second) input.runs.push_back(run.run);
    for (auto& [row, run] : rows_) {
      row.run = places.at(run);
      input.candidates.push_back(std::move(row));
    }
    for (const WebRules& rules : input.rules)
      for (const std::string& note : rules.board.notes)
        if (std::find(input.notes.begin(), input.notes.end(), note) == input.notes.end()) input.notes.push_back(note);
    return input;
  }

  std::size_t judged() const { return judged_; }

 private:
  /// Only the strictest rules' leaderboard has its samples read in other ways too, as that is shown once.
  LeaderboardSample score(const Observation& observation, std::size_t rule, const Verdict& verdict) const {
    if (rule + 1 == protocols_.size())
      return score_verdict_fully(observation, protocols_[rule], verdict, inputs_.back().tolerances);
    LeaderboardSample sample;
    sample.score = score_sample(observation, protocols_[rule], verdict);
    return sample;
  }

  static std::vector<std::string> commands(const std::string& campaign, std::int64_t id,
                                           const std::vector<Verdict>& verdicts) {
    const std::string show = fmt::format("kbv show {} {}", quoted(campaign), id);
    if (verdicts.empty()) return {show};
    std::vector<std::string> commands = {
        show, show + " --files again",
        "kbv replay again/observation.json --problem again/problem.py --candidate again/candidate.py"};
    if (verdicts.back().code == "wrong_output")
      commands.push_back(show + " --script wrong.py  # the wrong output in plain PyTorch");
    return commands;
  }

  /// Those of the protocols come first in the list of what was recorded.
  void add_problems(WebInput& input) const {
    const std::size_t own = inputs_.back().problems.size();
    for (const LeaderboardProblem& problem : inputs_.back().problems) {
      const KnownProblem* known = problem.sha256.empty() ? nullptr : find_known_problem(problem.sha256);
      std::string note = !problem.excluded.empty() ? "Left out: " + problem.excluded : known ? known->vacuous : "";
      input.problems.push_back({problem.level, problem.number, problem.name, std::move(note)});
    }
    for (std::size_t i = own; i < inputs_.front().problems.size(); ++i) {
      const LeaderboardProblem& problem = inputs_.front().problems[i];
      input.problems.push_back({problem.level, problem.number, problem.name, "Known by recorded results only."});
    }
  }

  /// Before the protocols' own, if there is anything. What can't be read is a note: the rest of the page stands without
  /// it.
  void add_recorded(const std::vector<std::string>& paths, WebInput& input) {
    LeaderboardRequest request;
    request.protocol = "recorded";
    auto recorded = read_leaderboard(paths, request);
    if (!recorded) {
      input.notes.push_back("Recorded results are not shown: " + recorded.error().message);
      return;
    }
    if (recorded->samples.empty()) return;
    std::map<std::tuple<std::string, std::size_t, int>, const SampleScore*> scores;
    for (const LeaderboardSample& sample : recorded->samples)
      scores[{sample.run, sample.problem, sample.sample}] = &sample.score;
    for (auto& [row, run] : rows_) {
      const auto found = scores.find({run, row.problem, row.sample});
      row.verdicts.insert(row.verdicts.begin(), found == scores.end() ? WebVerdict() : web_verdict(*found->second));
    }
    inputs_.insert(inputs_.begin(), std::move(*recorded));
  }

  std::vector<std::pair<std::string, std::string>> facts() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < joined_.size(); ++i)
      names.insert(std::filesystem::path(joined_.campaign(i).path()).filename().string());
    std::vector<std::pair<std::string, std::string>> facts{
        {"Campaign", joined_words(names)}, {"Candidates", fmt::format("{}, {} judged", rows_.size(), judged_)}};
    for (auto& fact : facts_.list()) facts.push_back(std::move(fact));
    return facts;
  }

  JoinedCampaigns& joined_;
  WebPage& page_;
  std::vector<Protocol> protocols_;
  std::vector<LeaderboardInput> inputs_;                    ///< by the page's rules
  std::vector<std::pair<WebCandidate, std::string>> rows_;  ///< and the run's name
  CampaignFacts facts_;
  std::size_t judged_ = 0;
};

}  // namespace

Result<CampaignPage> write_campaign_page(const std::vector<std::string>& campaigns, const std::string& path,
                                         const CampaignPageOptions& options) {
  KBV_TRY_ASSIGN(JoinedCampaigns joined, JoinedCampaigns::open(campaigns));
  KBV_TRY_ASSIGN(std::vector<Item> items, join_items(joined));
  KBV_TRY_ASSIGN(WebPage page, WebPage::begin(path));
  PageMaker maker(joined, page);
  std::size_t done = 0;
  for (Item& item : items) {
    KBV_TRY(maker.add(item));
    if (options.progress) options.progress(++done, items.size());
  }
  const WebInput input = maker.input(campaigns, options);
  CampaignPage made;
  KBV_TRY_ASSIGN(made.bytes, page.finish(input));
  made.runs = input.runs.size();
  made.candidates = items.size();
  made.judged = maker.judged();
  return made;
}

}  // namespace kbv
