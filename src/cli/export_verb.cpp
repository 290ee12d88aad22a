// SPDX-License-Identifier: MIT
// A campaign as KernelBench's files: runs/RUN/eval_results.json and what lies beside it, results/timing/HARDWARE.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/file.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "problem/flat_yaml.h"
#include "report/report.h"
#include "store/campaign.h"
#include "store/kernelbench_entry.h"
#include "store/kernelbench_files.h"
#include "store/kernelbench_pass.h"
#include "store/kernelbench_results.h"

namespace kbv {
namespace fs = std::filesystem;
namespace {

/// What becomes one run folder: KernelBench knows one level in each.
struct RunKey {
  std::string run;
  int level = 0;
  std::string harness;
  auto operator<=>(const RunKey&) const = default;
};

struct FolderContent {
  std::map<std::string, std::vector<RecordedResult>> results;  ///< by RecordedResult::tests
  std::map<std::string, std::int64_t> sources;                 ///< candidates by file name
  std::string precision;
  std::set<int> samples;
};

class Exporter {
 public:
  Exporter(Campaign& campaign, const ExportOptions& options) : campaign_(campaign), options_(options) {}

  Result<void> observed() {
    KBV_TRY_ASSIGN(const Protocol protocol, find_protocol(options_.protocol));
    const bool verified = options_.format.empty() ? protocol.name == "verified" : options_.format == "verified";
    KBV_TRY_ASSIGN(const auto problems, campaign_.problems());
    std::map<std::int64_t, const CampaignProblem*> problem_of;
    for (const CampaignProblem& problem : problems) problem_of[problem.id] = &problem;
    KBV_TRY_ASSIGN(const auto candidates, campaign_.candidates());
    BaselineCollector baselines;
    for (const CampaignCandidate& candidate : candidates) {
      if (!wanted(candidate.run)) continue;
      const auto found = problem_of.find(candidate.problem);
      if (found == problem_of.end())
        return fail(Fault::usage, "bad_campaign",
                    fmt::format("{}: candidate {} has no problem", campaign_.path(), candidate.id));
      const CampaignProblem& problem = *found->second;
      FolderContent& folder = folders_[{candidate.run, problem.level, verified ? "verified" : "kernelbench"}];
      folder.sources[fmt::format("level_{}_problem_{}_sample_{}_kernel.py", problem.level, problem.number,
                                 candidate.sample)] = candidate.id;
      folder.samples.insert(candidate.sample);
      KBV_TRY_ASSIGN(const auto observation, campaign_.observation(candidate.id));
      if (!observation) {
        ++left_out_["not_run"];
        continue;
      }
      folder.precision = observation->precision;
      add(folder, candidate, problem, *observation, protocol, verified);
      baselines.add(problem.level, utf8_text(problem.name), *observation);
    }
    baselines_ = baselines.take();
    return {};
  }

  Result<void> recorded() {
    KBV_TRY_ASSIGN(const auto results, campaign_.recorded());
    for (const RecordedResult& result : results)
      if (wanted(result.run)) {
        FolderContent& folder = folders_[{result.run, result.level, result.harness}];
        folder.results[result.tests].push_back(result);
        folder.samples.insert(result.sample);
      }
    if (!options_.run.empty()) return {};
    KBV_TRY_ASSIGN(baselines_, campaign_.recorded_baselines());
    return {};
  }

  /// Writes all, or nothing if a file is there already.
  Result<void> write() {
    if (folders_.empty() && baselines_.empty())
      return fail(Fault::usage, "nothing",
                  fmt::format("{}: it has {}{}{}", campaign_.path(),
                              options_.protocol == "recorded" ? "no recorded results" : "no candidates",
                              options_.run.empty() ? "" : " of run ", options_.run));
    KBV_TRY(plan());
    for (const auto& [path, content] : texts_) KBV_TRY(absent(path));
    for (const auto& [path, candidate] : sources_) KBV_TRY(absent(path));
    for (const auto& [path, content] : texts_) KBV_TRY(write_one(path, content));
    for (const auto& [path, id] : sources_) {
      KBV_TRY_ASSIGN(const CampaignCandidate candidate, campaign_.candidate(id));
      KBV_TRY(write_one(path, candidate.source));
    }
    tell();
    return {};
  }

 private:
  bool wanted(const std::string& run) const { return options_.run.empty() || options_.run == run; }

  void add(FolderContent& folder, const CampaignCandidate& candidate, const CampaignProblem& problem,
           const Observation& observation, const Protocol& protocol, bool verified) {
    RecordedResult of;
    of.run = candidate.run;
    of.level = problem.level;
    of.number = problem.number;
    of.sample = candidate.sample;
    of.tests = "standard";
    const ResultsFormat format = verified ? ResultsFormat::verified : ResultsFormat::kernelbench;
    std::string code;
    const auto standard = entry_of(of, observation, verified ? standard_rules(protocol) : protocol, format, code);
    if (standard) {
      untimed_ += standard->correct && !standard->runtime_ms;
      folder.results["standard"].push_back(*standard);
    }
    if (!standard) ++left_out_[code];
    if (!verified) return;
    of.tests = "hidden";
    const auto hidden = entry_of(of, observation, hidden_rules(protocol), format, code);
    if (hidden)
      folder.results["hidden"].push_back(*hidden);
    else if (standard)
      ++left_out_["hidden: " + code];
  }

  Result<void> plan() {
    std::map<std::string, std::set<int>> levels;
    std::map<std::pair<std::string, int>, std::set<std::string>> harnesses;
    for (const auto& [folder, content] : folders_) {
      levels[folder.run].insert(folder.level);
      harnesses[{folder.run, folder.level}].insert(folder.harness);
    }
    for (const auto& [folder, content] : folders_) {
      std::string name = folder.run;
      if (levels[folder.run].size() > 1) name += fmt::format("_level{}", folder.level);
      if (harnesses[{folder.run, folder.level}].size() > 1) name += "_" + folder.harness;
      const fs::path at = fs::path(options_.folder) / "runs" / file_name_of(name);
      if (!run_paths_.insert(at.string()).second)
        return fail(Fault::usage, "bad_run",
                    fmt::format("two runs would be written to {}: export them one by one (--run)", at.string()));
      KBV_TRY(plan_run(at, folder, content));
    }
    std::map<std::pair<std::string, std::string>, std::vector<RecordedBaseline>> files;
    for (const RecordedBaseline& baseline : baselines_) files[{baseline.hardware, baseline.name}].push_back(baseline);
    for (const auto& [key, rows] : files) {
      const std::string name = fmt::format("baseline_time_{}.json", key.second);
      if (baseline_of_file(name) != key.second)
        return fail(Fault::usage, "bad_results", fmt::format("'{}' names no file of baselines", shown(key.second)));
      KBV_TRY_ASSIGN(std::string text, write_baselines(rows));
      const fs::path path = fs::path(options_.folder) / "results" / "timing" / file_name_of(key.first) / name;
      if (!texts_.emplace(path.string(), std::move(text)).second)
        return fail(Fault::usage, "bad_results", fmt::format("two files would be written to {}", path.string()));
    }
    return {};
  }

  Result<void> plan_run(const fs::path& at, const RunKey& folder, const FolderContent& content) {
    for (const auto& [tests, results] : content.results) {
      KBV_TRY_ASSIGN(const std::string file, file_of_tests(tests));
      KBV_TRY_ASSIGN(texts_[(at / file).string()], write_results(results));
      // Recorded results are written as they were; and KernelBench-Verified has no such file.
      if (options_.protocol == "recorded" || folder.harness != "kernelbench") continue;
      if (auto passes = write_pass_at_k(results, options_.attempts))
        texts_[(at / "pass_at_k_results.json").string()] = std::move(*passes);
    }
    for (const auto& [file, candidate] : content.sources) sources_[(at / file).string()] = candidate;
    std::vector<std::pair<std::string, std::string>> strings = {{"run_name", folder.run}};
    if (!content.precision.empty() && content.precision != "native")
      strings.emplace_back("precision", content.precision);
    texts_[(at / "generation_config.yaml").string()] =
        write_flat_yaml(strings, {{"level", folder.level}, {"num_samples", static_cast<int>(content.samples.size())}});
    return {};
  }

  static Result<void> absent(const std::string& path) {
    std::error_code error;
    if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return {};
    return fail(Fault::usage, "exists", path + ": it is there already, and nothing is overwritten");
  }

  Result<void> write_one(const std::string& path, const std::string& content) {
    // Again: to some file systems two of our names are the same.
    KBV_TRY(absent(path));
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    if (error) return fail(Fault::usage, "no_folder", fmt::format("{}: {}", path, error.message()));
    return write_file(path, content);
  }

  void tell() const {
    for (const auto& [path, content] : texts_) say(stdout, "{}\n", path);
    if (!sources_.empty()) say(stdout, "and {} candidates\n", sources_.size());
    for (const auto& [code, count] : left_out_)
      say(stdout, "note: {} {} no entry: {}{}\n", count, count == 1 ? "sample has" : "samples have",
          code == "not_run" ? "not evaluated" : code, code == "not_run" ? "" : ", no verdict on the candidate");
    if (untimed_ > 0)
      say(stdout,
          "note: {} correct {} no time: KernelBench's scripts take its -1 for one, so speedups over them mean "
          "nothing\n",
          untimed_, untimed_ == 1 ? "sample has" : "samples have");
  }

  Campaign& campaign_;
  const ExportOptions& options_;
  std::map<RunKey, FolderContent> folders_;
  std::vector<RecordedBaseline> baselines_;
  std::map<std::string, std::size_t> left_out_;  // samples without an entry, by verdict
  std::size_t untimed_ = 0;
  std::set<std::string> run_paths_;
  std::map<std::string, std::string> texts_;  // by path
  std::map<std::string, std::int64_t> sources_;
};

Result<void> export_all(const ExportOptions& options) {
  const bool recorded = options.protocol == "recorded";
  if (recorded && !options.format.empty())
    return fail(Fault::usage, "bad_format",
                "--format: recorded results are written as they were, each in its harness's format");
  KBV_TRY_ASSIGN(const auto campaign, Campaign::read(options.campaign));
  Exporter exporter(*campaign, options);
  KBV_TRY(recorded ? exporter.recorded() : exporter.observed());
  return exporter.write();
}

}  // namespace

int run_export(const ExportOptions& options) {
  if (const auto done = export_all(options); !done) return print_error(done.error());
  return k_exit_correct;
}

}  // namespace kbv
