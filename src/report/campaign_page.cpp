// SPDX-License-Identifier: MIT
#include "report/campaign_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "problem/known_problems.h"
#include "report/units.h"
#include "report/web_figures.h"
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
  std::string words = fmt::format("{}, {} tests: {}", result.harness, result.tests,
                                  result.correct    ? "correct"
                                  : result.compiled ? "wrong"
                                                    : "not compiled");
  if (result.runtime_ms) words += fmt::format(", {}", show_us(*result.runtime_ms * 1000));
  if (result.peak_bytes) words += fmt::format(", peak {}", show_bytes(*result.peak_bytes));
  return words;
}

/// A candidate of the joined campaigns; without source and observation.
struct Item {
  std::size_t campaign = 0;
  CampaignCandidate candidate;
  std::int64_t id = 0;      ///< in the page
  std::size_t problem = 0;  ///< in the joined list
  std::vector<std::string> recorded;
};

/// By level and number, so that the page has them in this order.
Result<std::vector<std::map<std::int64_t, std::size_t>>> join_problems(JoinedCampaigns& joined) {
  std::vector<std::pair<std::size_t, CampaignProblem>> all;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    KBV_TRY_ASSIGN(auto problems, joined.campaign(i).problems());
    for (CampaignProblem& problem : problems) {
      problem.source.clear();
      all.emplace_back(i, std::move(problem));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.level, a.second.number) < std::tie(b.second.level, b.second.number);
  });
  std::vector<std::map<std::int64_t, std::size_t>> indices(joined.size());
  for (const auto& [campaign, problem] : all) {
    KBV_TRY_ASSIGN(indices[campaign][problem.id],
                   joined.add_problem(campaign, {problem.level, problem.number, problem.name, "", problem.sha256}));
  }
  return indices;
}

Result<std::vector<Item>> join_candidates(JoinedCampaigns& joined) {
  KBV_TRY_ASSIGN(const auto problems, join_problems(joined));
  std::vector<Item> items;
  std::int64_t offset = 0;  // numbers stay what they are in the first campaign
  for (std::size_t i = 0; i < joined.size(); ++i) {
    Campaign& campaign = joined.campaign(i);
    KBV_TRY_ASSIGN(const auto results, campaign.recorded());
    std::map<std::tuple<std::string, int, int, int>, std::vector<std::string>> recorded;
    for (const RecordedResult& result : results)
      if (auto& words = recorded[{result.run, result.level, result.number, result.sample}];
          words.size() < k_recorded_shown)
        words.push_back(recorded_words(result));
    KBV_TRY_ASSIGN(auto candidates, campaign.candidates());
    std::int64_t highest = 0;
    for (CampaignCandidate& candidate : candidates) {
      const auto problem = problems[i].find(candidate.problem);
      if (problem == problems[i].end())
        return fail(Fault::usage, "bad_campaign", campaign.path() + ": a candidate's problem is not there");
      joined.add_sample(i, candidate.run, problem->second, candidate.sample);
      highest = std::max(highest, candidate.id);
      const LeaderboardProblem& place = joined.problems()[problem->second];
      const auto found = recorded.find({candidate.run, place.level, place.number, candidate.sample});
      items.push_back({i, std::move(candidate), offset + candidate.id, problem->second,
                       found == recorded.end() ? std::vector<std::string>() : std::move(found->second)});
    }
    offset += highest;
  }
  return items;
}

/// What the observations have in common.
struct Circumstances {
  std::set<std::string> devices, versions, kbv, isolation, precisions;
  std::string first, last;

  void add(const Observation& observation) {
    const MachineFacts& machine = observation.machine;
    if (!machine.device.empty()) devices.insert(machine.device);
    if (!machine.torch.empty())
      versions.insert("PyTorch " + machine.torch + (machine.cuda.empty() ? "" : ", CUDA " + machine.cuda));
    if (!observation.kbv_version.empty()) kbv.insert(observation.kbv_version);
    if (!observation.isolation_level.empty()) isolation.insert(observation.isolation_level);
    precisions.insert(observation.precision + (observation.size.empty() ? "" : ", size " + observation.size));
    if (observation.started_at.empty()) return;
    if (first.empty() || observation.started_at < first) first = observation.started_at;
    last = std::max(last, observation.started_at);
  }
};

std::string joined_words(const std::set<std::string>& names) {
  constexpr std::size_t k_shown = 4;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < k_shown) shown.push_back(name);
  if (names.size() > k_shown) shown.push_back(fmt::format("{} more", names.size() - k_shown));
  return fmt::format("{}", fmt::join(shown, "; "));
}

class PageMaker {
 public:
  PageMaker(JoinedCampaigns& joined, WebPage& page) : joined_(joined), page_(page) {
    for (const char* name : k_rules) {
      protocols_.push_back(find_protocol(name).value());
      inputs_.push_back(input_for(protocols_.back()));
      inputs_.back().problems = joined.problems();
      for (LeaderboardProblem& problem : inputs_.back().problems) problem.excluded = exclusion(name, problem.sha256);
      inputs_.back().problems_of = joined.problems_of();
    }
  }

  Result<void> add(Item& item) {
    Campaign& campaign = joined_.campaign(item.campaign);
    KBV_TRY_ASSIGN(const CampaignCandidate whole, campaign.candidate(item.candidate.id));
    KBV_TRY_ASSIGN(const auto observation, campaign.observation(item.candidate.id));
    KBV_TRY_ASSIGN(const auto failures, campaign.failures(item.candidate.id));
    const std::string run = joined_.label(item.campaign, item.candidate.run);
    WebCandidate row;
    row.id = item.id;
    row.problem = item.problem;
    row.sample = item.candidate.sample;
    WebDetails details;
    details.path = item.candidate.path;
    KBV_TRY_ASSIGN(details.source_key, page_.add_source(whole.source));
    details.source_left_out = whole.source.size() - std::min(whole.source.size(), WebPage::k_source_limit);
    details.recorded = std::move(item.recorded);
    for (const CampaignFailure& failure : failures)
      details.failures.push_back(fmt::format("{}  {}: {}", failure.at, failure.code, failure.message));
    for (std::size_t i = 0; i < protocols_.size(); ++i) {
      LeaderboardSample sample;
      sample.run = run;
      sample.problem = item.problem;
      sample.sample = item.candidate.sample;
      if (observation) {
        details.verdicts.push_back(judge_observation(*observation, protocols_[i]));
        sample.score = score_sample(*observation, protocols_[i], details.verdicts.back());
      } else if (!failures.empty()) {
        sample.score.code = "machine_error";
      }
      row.verdicts.push_back(web_verdict(sample.score));
      inputs_[i].samples.push_back(std::move(sample));
    }
    const std::string show = fmt::format("kbv show {} {}", quoted(campaign.path()), item.candidate.id);
    details.commands = {show};
    if (observation) {
      details.observation = &*observation;
      details.commands.push_back(show + " --files again");
      details.commands.emplace_back(
          "kbv replay again/observation.json --problem again/problem.py --candidate again/candidate.py");
      if (details.verdicts.back().code == "wrong_output")
        details.commands.push_back(show + " --script wrong.py  # the wrong output in plain PyTorch");
      row.labels = observation->labels;
      circumstances_.add(*observation);
      ++judged_;
    }
    KBV_TRY(page_.add_details(item.id, details));
    ids_[{run, item.problem, item.candidate.sample}] = item.id;
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
    for (const LeaderboardProblem& problem : inputs_.back().problems) {
      const KnownProblem* known = problem.sha256.empty() ? nullptr : find_known_problem(problem.sha256);
      std::string note = !problem.excluded.empty() ? "Left out: " + problem.excluded : known ? known->vacuous : "";
      input.problems.push_back({problem.level, problem.number, problem.name, std::move(note)});
    }
    add_recorded(paths, input);
    // The strictest rules come last, and give the order of the runs.
    for (std::size_t i = inputs_.size(); i-- > 0;) boards_.insert(boards_.begin(), make_leaderboard(inputs_[i]));
    for (auto board = boards_.rbegin(); board != boards_.rend(); ++board)
      for (const RunScore& run : board->runs)
        if (places_.emplace(run.run, input.runs.size()).second)
          input.runs.push_back({run.run, std::vector<WebRunScore>(boards_.size())});
    for (std::size_t rule = 0; rule < boards_.size(); ++rule) add_rules(rule, input);
    for (auto& [row, run] : rows_) {
      row.run = places_.at(run);
      input.candidates.push_back(std::move(row));
    }
    return input;
  }

  std::size_t judged() const { return judged_; }

 private:
  void add_rules(std::size_t rule, WebInput& input) {
    const Leaderboard& board = boards_[rule];
    const std::string title = inputs_[rule].protocol == "recorded"
                                  ? "What the imported files of other harnesses say"
                                  : find_protocol(inputs_[rule].protocol).value().title;
    input.rules.push_back({inputs_[rule].protocol, title, board.baseline, board.statistic, inputs_[rule].memory});
    std::map<std::pair<int, int>, std::size_t> page_index;
    for (std::size_t i = 0; i < input.problems.size(); ++i)
      page_index[{input.problems[i].level, input.problems[i].number}] = i;
    std::vector<std::size_t> problems;
    for (const LeaderboardProblem& problem : board.problems) {
      const auto [at, first] = page_index.emplace(std::pair(problem.level, problem.number), input.problems.size());
      if (first)
        input.problems.push_back({problem.level, problem.number, problem.name, "Known by recorded results only."});
      problems.push_back(at->second);
    }
    for (const RunScore& run : board.runs)
      input.runs[places_.at(run.run)].under[rule] = web_run_score(run, problems, ids_);
    for (const std::string& note : board.notes)
      if (std::find(input.notes.begin(), input.notes.end(), note) == input.notes.end()) input.notes.push_back(note);
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
    std::map<std::tuple<std::string, int, int, int>, const SampleScore*> scores;
    for (const LeaderboardSample& sample : recorded->samples) {
      const LeaderboardProblem& problem = recorded->problems[sample.problem];
      scores[{sample.run, problem.level, problem.number, sample.sample}] = &sample.score;
    }
    for (auto& [row, run] : rows_) {
      const WebProblem& problem = input.problems[row.problem];
      const auto found = scores.find({run, problem.level, problem.number, row.sample});
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
    const auto add = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) facts.emplace_back(name, value);
    };
    add("Device", joined_words(circumstances_.devices));
    add("With", joined_words(circumstances_.versions));
    add("Precision", joined_words(circumstances_.precisions));
    add("Isolation", joined_words(circumstances_.isolation));
    add("kbv", joined_words(circumstances_.kbv));
    add("Judged", circumstances_.first == circumstances_.last ? circumstances_.first
                                                              : circumstances_.first + " to " + circumstances_.last);
    return facts;
  }

  JoinedCampaigns& joined_;
  WebPage& page_;
  std::vector<Protocol> protocols_;
  std::vector<LeaderboardInput> inputs_;  ///< by the page's rules
  std::vector<Leaderboard> boards_;
  std::map<std::string, std::size_t> places_;               ///< of runs
  std::vector<std::pair<WebCandidate, std::string>> rows_;  ///< and the run's name
  CandidateIds ids_;
  Circumstances circumstances_;
  std::size_t judged_ = 0;
};

}  // namespace

Result<CampaignPage> write_campaign_page(const std::vector<std::string>& campaigns, const std::string& path,
                                         const CampaignPageOptions& options) {
  KBV_TRY_ASSIGN(JoinedCampaigns joined, JoinedCampaigns::open(campaigns));
  KBV_TRY_ASSIGN(std::vector<Item> items, join_candidates(joined));
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
