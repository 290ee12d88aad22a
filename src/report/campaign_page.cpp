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
#include "report/web_page.h"
#include "score/leaderboard.h"

namespace kbv {
namespace {

/// From lenient to strict, as the page shows them.
constexpr const char* k_rules[] = {"kernelbench", "verified", "attested"};
constexpr std::size_t k_recorded_shown = 8;

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// The shell's quotes, for commands that a reader may copy.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == std::string::npos;
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

/// All campaigns as one: names, problems and candidates, without sources or observations.
class Collection {
 public:
  struct Item {
    Campaign* campaign = nullptr;
    CampaignCandidate candidate;
    std::int64_t id = 0;  ///< in the page
    std::string run;
    std::size_t problem = 0;
    std::vector<std::string> recorded;
  };

  Result<void> read(const std::vector<std::unique_ptr<Campaign>>& campaigns) {
    std::map<std::string, std::set<const Campaign*>> holders;
    std::vector<std::vector<CampaignCandidate>> candidates;
    for (const auto& campaign : campaigns) {
      KBV_TRY_ASSIGN(candidates.emplace_back(), campaign->candidates());
      for (const auto& one : candidates.back()) holders[one.run].insert(campaign.get());
    }
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < campaigns.size(); ++i) {
      KBV_TRY_ASSIGN(const auto problem_list, campaigns[i]->problems());
      std::map<std::int64_t, std::size_t> problem_of;
      for (const CampaignProblem& problem : problem_list) problem_of[problem.id] = add(problem);
      KBV_TRY_ASSIGN(const auto recorded, recorded_by_place(*campaigns[i]));
      std::int64_t highest = 0;
      for (CampaignCandidate& one : candidates[i]) {
        const auto problem = problem_of.find(one.problem);
        if (problem == problem_of.end()) return fail(Fault::usage, "bad_campaign", campaigns[i]->path() + ": a candidate of no problem");
        Item item;
        item.campaign = campaigns[i].get();
        item.id = offset + one.id;
        item.run = holders[one.run].size() > 1 ? fmt::format("{} ({})", one.run, stem(campaigns[i]->path())) : one.run;
        item.problem = problem->second;
        highest = std::max(highest, one.id);
        const LeaderboardProblem& place = problems[item.problem];
        if (const auto found = recorded.find({one.run, place.level, place.number, one.sample}); found != recorded.end()) item.recorded = found->second;
        item.candidate = std::move(one);
        items.push_back(std::move(item));
      }
      offset += highest;
    }
    sort_problems();
    return {};
  }

  std::vector<LeaderboardProblem> problems;  ///< by level and number; nothing is excluded yet
  std::vector<Item> items;

 private:
  using Place = std::tuple<std::string, int, int, int>;

  std::size_t add(const CampaignProblem& problem) {
    const auto [at, first] = known_.emplace(std::tuple(problem.level, problem.number, problem.sha256), problems.size());
    if (first) {
      LeaderboardProblem added;
      added.level = problem.level;
      added.number = problem.number;
      added.name = problem.name;
      added.sha256 = problem.sha256;
      problems.push_back(std::move(added));
    }
    return at->second;
  }

  static Result<std::map<Place, std::vector<std::string>>> recorded_by_place(Campaign& campaign) {
    KBV_TRY_ASSIGN(const auto results, campaign.recorded());
    std::map<Place, std::vector<std::string>> by_place;
    for (const RecordedResult& result : results)
      if (auto& words = by_place[{result.run, result.level, result.number, result.sample}]; words.size() < k_recorded_shown)
        words.push_back(recorded_words(result));
    return by_place;
  }

  void sort_problems() {
    std::vector<std::size_t> order(problems.size()), place(problems.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(problems[a].level, problems[a].number) < std::tie(problems[b].level, problems[b].number);
    });
    std::vector<LeaderboardProblem> sorted;
    for (const std::size_t old : order) {
      place[old] = sorted.size();
      sorted.push_back(problems[old]);
    }
    problems = std::move(sorted);
    for (Item& item : items) item.problem = place[item.problem];
  }

  std::map<std::tuple<int, int, std::string>, std::size_t> known_;
};

/// What the observations have in common.
struct Circumstances {
  std::set<std::string> devices, versions, kbv, isolation, precisions;
  std::string first, last;

  void add(const Observation& observation) {
    const MachineFacts& machine = observation.machine;
    if (!machine.device.empty()) devices.insert(machine.device);
    if (!machine.torch.empty()) versions.insert("PyTorch " + machine.torch + (machine.cuda.empty() ? "" : ", CUDA " + machine.cuda));
    if (!observation.kbv_version.empty()) kbv.insert(observation.kbv_version);
    if (!observation.isolation_level.empty()) isolation.insert(observation.isolation_level);
    precisions.insert(observation.precision + (observation.size.empty() ? "" : ", size " + observation.size));
    if (observation.started_at.empty()) return;
    if (first.empty() || observation.started_at < first) first = observation.started_at;
    last = std::max(last, observation.started_at);
  }
};

std::string joined(const std::set<std::string>& names) {
  constexpr std::size_t k_shown = 4;
  std::vector<std::string> shown(names.begin(), std::next(names.begin(), static_cast<std::ptrdiff_t>(std::min(names.size(), k_shown))));
  if (names.size() > k_shown) shown.push_back(fmt::format("{} more", names.size() - k_shown));
  return fmt::format("{}", fmt::join(shown, "; "));
}

WebFigure web_figure(const Figure& figure) {
  WebFigure shown;
  shown.value = figure.value;
  if (figure.interval) {
    shown.low = figure.interval->low;
    shown.high = figure.interval->high;
  }
  shown.problems = figure.problems;
  return shown;
}

WebGroup web_group(const GroupScore& group, int level) {
  WebGroup shown;
  shown.level = level;
  shown.problems = group.problems;
  shown.solved = group.solved;
  shown.samples = group.samples;
  shown.without_verdict = group.without_verdict;
  shown.correct = web_figure(group.figure("correct"));
  shown.speedup = web_figure(group.figure("speedup"));
  shown.fast_1 = web_figure(group.figure("fast_1"));
  shown.memory = web_figure(group.figure("memory_efficiency"));
  shown.memory_efficient = web_figure(group.figure("memory_efficient"));
  for (const DistributionFailures& one : group.distributions) shown.distributions.push_back({one.distribution, one.tried, one.failed});
  return shown;
}

using CandidateIds = std::map<std::tuple<std::string, std::size_t, int>, std::int64_t>;  // by run, problem and sample

WebRunScore web_run_score(const RunScore& run, const CandidateIds& ids) {
  WebRunScore shown;
  shown.groups.push_back(web_group(run.all, 0));
  for (const GroupScore& group : run.levels) shown.groups.push_back(web_group(group, group.level));
  for (const ProblemScore& problem : run.problems) {
    if (problem.samples == 0) continue;
    WebBest best;
    best.problem = problem.problem;
    best.code = problem.code;
    best.correct = problem.best.has_value();
    best.counts = problem.counts;
    best.speedup = problem.speedup;
    best.memory = problem.memory_ratio;
    // Without a correct one, the first: the reason is about one of them.
    auto found = problem.best ? ids.find({run.run, problem.problem, *problem.best}) : ids.lower_bound({run.run, problem.problem, 0});
    if (found != ids.end() && std::get<0>(found->first) == run.run && std::get<1>(found->first) == problem.problem) best.candidate = found->second;
    shown.best.push_back(std::move(best));
  }
  return shown;
}

WebVerdict web_verdict(const SampleScore& score) {
  WebVerdict shown;
  shown.code = score.code;
  shown.correct = score.correct;
  shown.speedup = score.speedup;
  shown.memory = score.memory_ratio;
  shown.resolved = !score.estimate;
  if (score.speed && score.speed->speedup.value > 0) {
    shown.low = score.speed->speedup.low;
    shown.high = score.speed->speedup.high;
  }
  return shown;
}

class PageMaker {
 public:
  PageMaker(const Collection& collection, WebPage& page) : collection_(collection), page_(page) {
    for (const char* name : k_rules) {
      protocols_.push_back(find_protocol(name).value());
      LeaderboardInput& input = inputs_.emplace_back();
      input.protocol = name;
      input.baseline = protocols_.back().baseline;
      input.memory = protocols_.back().memory;
      input.problems = collection.problems;
      for (LeaderboardProblem& problem : input.problems) problem.excluded = exclusion(name, problem.sha256);
    }
  }

  Result<void> add(const Collection::Item& item) {
    KBV_TRY_ASSIGN(const CampaignCandidate candidate, item.campaign->candidate(item.candidate.id));
    KBV_TRY_ASSIGN(const auto observation, item.campaign->observation(item.candidate.id));
    WebCandidate row;
    row.id = item.id;
    row.problem = item.problem;
    row.sample = item.candidate.sample;
    WebDetails details;
    details.path = item.candidate.path;
    KBV_TRY_ASSIGN(details.source_key, page_.add_source(candidate.source));
    details.source_left_out = candidate.source.size() - std::min(candidate.source.size(), WebPage::k_source_limit);
    details.recorded = item.recorded;
    KBV_TRY_ASSIGN(const auto failures, item.campaign->failures(item.candidate.id));
    for (const CampaignFailure& failure : failures) details.failures.push_back(fmt::format("{}  {}: {}", failure.at, failure.code, failure.message));
    const std::string show = fmt::format("kbv show {} {}", quoted(item.campaign->path()), item.candidate.id);
    details.commands = {show};
    for (std::size_t i = 0; i < protocols_.size(); ++i) {
      LeaderboardSample sample;
      sample.run = item.run;
      sample.problem = item.problem;
      sample.sample = item.candidate.sample;
      if (observation) {
        details.verdicts.push_back(judge_observation(*observation, protocols_[i]));
        sample.score = score_sample(*observation, protocols_[i]);
      }
      row.verdicts.push_back(web_verdict(sample.score));
      inputs_[i].samples.push_back(std::move(sample));
    }
    if (observation) {
      details.observation = &*observation;
      details.commands.push_back(show + " --files again");
      details.commands.emplace_back("kbv replay again/observation.json --problem again/problem.py --candidate again/candidate.py");
      if (details.verdicts.back().code == "wrong_output") details.commands.push_back(show + " --script wrong.py  # the wrong output in plain PyTorch");
      row.labels = observation->labels;
      circumstances_.add(*observation);
      ++judged_;
    }
    KBV_TRY(page_.add_details(item.id, details));
    ids_[{item.run, item.problem, item.candidate.sample}] = item.id;
    rows_.push_back({std::move(row), item.run});
    return {};
  }

  WebInput input(const std::vector<std::unique_ptr<Campaign>>& campaigns, const CampaignPageOptions& options) {
    WebInput input;
    input.title = options.title;
    std::vector<Leaderboard> boards;
    for (const LeaderboardInput& one : inputs_) boards.push_back(make_leaderboard(one));
    std::map<std::string, std::size_t> place;
    for (const RunScore& run : boards.back().runs) {
      place.emplace(run.run, input.runs.size());
      input.runs.push_back({run.run, std::vector<WebRunScore>(boards.size())});
    }
    for (std::size_t rule = 0; rule < boards.size(); ++rule) {
      const Leaderboard& board = boards[rule];
      input.rules.push_back({protocols_[rule].name, protocols_[rule].title, board.baseline, board.statistic, protocols_[rule].memory});
      for (const RunScore& run : board.runs)
        if (const auto at = place.find(run.run); at != place.end()) input.runs[at->second].under[rule] = web_run_score(run, ids_);
      for (const std::string& note : board.notes)
        if (std::find(input.notes.begin(), input.notes.end(), note) == input.notes.end()) input.notes.push_back(note);
    }
    for (const LeaderboardProblem& problem : inputs_.back().problems) {
      const KnownProblem* known = find_known_problem(problem.sha256);
      std::string note = !problem.excluded.empty() ? "Left out: " + problem.excluded : known ? known->vacuous : "";
      input.problems.push_back({problem.level, problem.number, problem.name, std::move(note)});
    }
    for (auto& [row, run] : rows_) {
      row.run = place.at(run);
      input.candidates.push_back(std::move(row));
    }
    input.facts = facts(campaigns);
    if (judged_ < rows_.size()) input.notes.push_back(fmt::format("{} of {} candidates have not been judged.", rows_.size() - judged_, rows_.size()));
    return input;
  }

  std::size_t judged() const { return judged_; }

 private:
  std::vector<std::pair<std::string, std::string>> facts(const std::vector<std::unique_ptr<Campaign>>& campaigns) const {
    std::set<std::string> names;
    for (const auto& campaign : campaigns) names.insert(stem(campaign->path()));
    std::vector<std::pair<std::string, std::string>> facts{{"Campaign", joined(names)},
                                                           {"Candidates", fmt::format("{}, {} judged", rows_.size(), judged_)}};
    const auto add = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) facts.emplace_back(name, value);
    };
    add("Device", joined(circumstances_.devices));
    add("With", joined(circumstances_.versions));
    add("Precision", joined(circumstances_.precisions));
    add("Isolation", joined(circumstances_.isolation));
    add("kbv", joined(circumstances_.kbv));
    if (!circumstances_.first.empty())
      add("Judged", circumstances_.first == circumstances_.last ? circumstances_.first : circumstances_.first + " to " + circumstances_.last);
    return facts;
  }

  const Collection& collection_;
  WebPage& page_;
  std::vector<Protocol> protocols_;
  std::vector<LeaderboardInput> inputs_;
  std::vector<std::pair<WebCandidate, std::string>> rows_;  ///< and the run's name
  CandidateIds ids_;
  Circumstances circumstances_;
  std::size_t judged_ = 0;
};

}  // namespace

Result<CampaignPage> write_campaign_page(const std::vector<std::unique_ptr<Campaign>>& campaigns, const std::string& path,
                                         const CampaignPageOptions& options) {
  Collection collection;
  KBV_TRY(collection.read(campaigns));
  KBV_TRY_ASSIGN(WebPage page, WebPage::begin(path));
  PageMaker maker(collection, page);
  std::size_t done = 0;
  for (const Collection::Item& item : collection.items) {
    KBV_TRY(maker.add(item));
    if (options.progress) options.progress(++done, collection.items.size());
  }
  const WebInput input = maker.input(campaigns, options);
  CampaignPage made;
  KBV_TRY_ASSIGN(made.bytes, page.finish(input));
  made.runs = input.runs.size();
  made.candidates = collection.items.size();
  made.judged = maker.judged();
  return made;
}

}  // namespace kbv
