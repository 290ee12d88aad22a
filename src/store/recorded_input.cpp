// SPDX-License-Identifier: MIT
// Results that another harness recorded, as samples of a leaderboard.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "problem/run_folder.h"
#include "store/joined_campaigns.h"

namespace kbv {
namespace {

/// "torch@H100_Modal"
std::string full_name(const RecordedBaseline& baseline) { return baseline.name + "@" + baseline.hardware; }

struct Chosen {
  std::string full, hardware, name;  ///< empty: there is none
};

Result<Chosen> choose(const std::vector<std::vector<RecordedBaseline>>& all, const std::string& wanted) {
  std::map<std::string, Chosen> there, fitting;
  for (const auto& baselines : all)
    for (const RecordedBaseline& baseline : baselines) {
      const Chosen one{full_name(baseline), baseline.hardware, baseline.name};
      there[one.full] = one;
      if (wanted.empty() || wanted == one.full || wanted == one.name) fitting[one.full] = one;
    }
  if (fitting.size() == 1) return fitting.begin()->second;
  if (there.empty() && wanted.empty()) return Chosen{};
  std::vector<std::string> names;
  for (const auto& [name, one] : fitting.empty() ? there : fitting) names.push_back(name);
  if (there.empty())
    return fail(Fault::usage, "no_baseline",
                fmt::format("--baseline {}: no baseline was recorded (kbv import RESULTS/timing)", wanted));
  return fail(Fault::usage, "no_baseline", fmt::format("--baseline is needed, one of: {}", fmt::join(names, ", ")));
}

/// By level and number, then by the baseline's name; of one hardware.
using Baselines = std::map<std::pair<int, int>, std::map<std::string, const RecordedBaseline*>>;

Baselines index_of(const std::vector<RecordedBaseline>& baselines, const std::string& hardware) {
  Baselines index;
  for (const RecordedBaseline& baseline : baselines)
    if (const auto number = leading_number(baseline.problem); number && baseline.hardware == hardware)
      index[{baseline.level, *number}][baseline.name] = &baseline;
  return index;
}

/// One sample's rows, of one harness.
struct Rows {
  const RecordedResult *standard = nullptr, *hidden = nullptr;
};

SampleScore score_of(const RecordedResult& standard, const RecordedResult* hidden, const std::string& own,
                     const std::map<std::string, const RecordedBaseline*>& baselines) {
  SampleScore score;
  score.correct = standard.compiled && standard.correct && (!hidden || hidden->correct);
  score.code = !standard.compiled  ? "not_compiled"
               : !standard.correct ? "incorrect"
               : score.correct     ? "correct"
                                   : "incorrect_hidden";
  if (!score.correct) return score;
  const bool timed = standard.runtime_ms && *standard.runtime_ms > 0;
  for (const auto& [name, baseline] : baselines)
    if (timed && baseline->mean_ms && *baseline->mean_ms > 0)
      score.speedup_by_baseline[name] = *baseline->mean_ms / *standard.runtime_ms;
  if (const auto found = score.speedup_by_baseline.find(own); found != score.speedup_by_baseline.end())
    score.speedup = found->second;
  else
    score.why_no_speedup = timed ? "no_baseline" : "not_timed";
  const auto found = baselines.find(own);
  const auto peak = found == baselines.end() ? std::nullopt : found->second->peak_bytes;
  if (peak.value_or(0) > 0 && standard.peak_bytes.value_or(0) > 0)
    score.memory_ratio = static_cast<double>(*peak) / static_cast<double>(*standard.peak_bytes);
  return score;
}

using SampleKey = std::tuple<std::string, int, int, int, std::string>;  // run, level, number, sample, harness

std::map<SampleKey, Rows> rows_of(const std::vector<RecordedResult>& results) {
  std::map<SampleKey, Rows> rows;
  for (const RecordedResult& result : results) {
    Rows& own = rows[{result.run, result.level, result.number, result.sample, result.harness}];
    (result.tests == "hidden" ? own.hidden : own.standard) = &result;
  }
  return rows;
}

/// A run that several harnesses have judged is a run for each.
std::map<std::string, std::set<std::string>> harnesses_of(const std::vector<std::vector<RecordedResult>>& all) {
  std::map<std::string, std::set<std::string>> harnesses;
  for (const auto& results : all)
    for (const RecordedResult& result : results) harnesses[result.run].insert(result.harness);
  return harnesses;
}

}  // namespace

Result<void> read_recorded(JoinedCampaigns& joined, const std::string& wanted, LeaderboardInput& input) {
  std::vector<std::vector<RecordedResult>> results(joined.size());
  std::vector<std::vector<RecordedBaseline>> baselines(joined.size());
  for (std::size_t i = 0; i < joined.size(); ++i) {
    KBV_TRY_ASSIGN(results[i], joined.campaign(i).recorded());
    KBV_TRY_ASSIGN(baselines[i], joined.campaign(i).recorded_baselines());
  }
  KBV_TRY_ASSIGN(const Chosen own, choose(baselines, wanted));
  input.baseline = own.full;
  if (own.full.empty()) input.notes.push_back("no baseline was recorded: correctness only (kbv import RESULTS/timing)");
  const auto harnesses = harnesses_of(results);
  const bool papers = !harnesses.empty() && std::all_of(harnesses.begin(), harnesses.end(), [](const auto& run) {
    return run.second == std::set<std::string>{"verified"};
  });
  const auto named = [&](const std::string& run, const std::string& harness) {
    return harnesses.at(run).size() > 1 ? fmt::format("{} [{}]", run, harness) : run;
  };

  KBV_TRY(joined.add_problems());
  std::vector<std::pair<std::size_t, LeaderboardSample>> samples;  // with their campaigns
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const Baselines index = index_of(baselines[i], own.hardware);
    for (const auto& [key, rows] : rows_of(results[i])) {
      const auto& [run, level, number, sample, harness] = key;
      const auto found = index.find({level, number});
      const auto there = found == index.end() ? std::map<std::string, const RecordedBaseline*>() : found->second;
      const std::string name = there.empty() ? std::to_string(number) : there.begin()->second->problem;
      KBV_TRY_ASSIGN(const std::size_t problem, joined.add_problem(i, {level, number, name, {}, {}}));
      LeaderboardSample made;
      made.run = named(run, harness);
      made.problem = problem;
      made.sample = sample;
      if (rows.standard) {
        made.score = score_of(*rows.standard, rows.hidden, own.name, there);
        made.standard = score_of(*rows.standard, nullptr, own.name, there);
        if (rows.hidden) made.hidden = made.score;
      }
      input.memory |= made.score.memory_ratio.has_value();
      joined.add_sample(i, made.run, problem, sample);
      samples.emplace_back(i, std::move(made));
    }
  }
  for (auto& [campaign, sample] : samples) {
    sample.run = joined.label(campaign, sample.run);
    input.samples.push_back(std::move(sample));
  }
  take_problems(joined, papers ? "verified" : "recorded", input);
  return {};
}

}  // namespace kbv
