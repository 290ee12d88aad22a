// SPDX-License-Identifier: MIT
#include "store/kernelbench_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/file.h"
#include "problem/flat_yaml.h"
#include "problem/run_folder.h"
#include "store/kernelbench_results.h"
#include "store/python_json.h"

namespace kbv {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t k_folder_entries = 100'000;  // of one folder
constexpr std::size_t k_name_bytes = 200;
constexpr int k_folder_depth = 3;  // a checkout, results, timing, HARDWARE

/// Of "level_{L}_problem_{P}_sample_{S}_kernel.py".
std::optional<int> level_of_kernel(std::string_view file) {
  constexpr std::string_view k_begin = "level_", k_end = "_kernel.py";
  if (file.size() < k_begin.size() + k_end.size() || file.substr(0, k_begin.size()) != k_begin) return std::nullopt;
  if (file.substr(file.size() - k_end.size()) != k_end || file.find("_problem_") == std::string_view::npos)
    return std::nullopt;
  return leading_number(file.substr(k_begin.size()), k_largest_level);
}

/// What is in a folder, by name; "." and ".." are not.
struct Listing {
  std::vector<std::string> files, folders;
};

Result<Listing> list(const fs::path& folder) {
  Listing listing;
  std::error_code error;
  std::size_t count = 0;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) {
    if (++count > k_folder_entries)
      return fail(Fault::usage, "bad_results",
                  fmt::format("{}: more than {} files", folder.string(), k_folder_entries));
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (it->is_directory(ignored) && !it->is_symlink(ignored))
      listing.folders.push_back(name);
    else if (it->is_regular_file(ignored))
      listing.files.push_back(name);
  }
  if (error) return fail(Fault::usage, "no_file", folder.string() + ": " + error.message());
  std::sort(listing.files.begin(), listing.files.end());
  std::sort(listing.folders.begin(), listing.folders.end());
  return listing;
}

class Collector {
 public:
  explicit Collector(const KernelBenchSource& source) : source_(source) {}

  Result<void> take(const std::string& given) {
    const fs::path path = fs::absolute(given).lexically_normal();
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      const fs::path folder = path.has_filename() ? path : path.parent_path();
      KBV_TRY_ASSIGN(const bool something, take_folder(folder, 0));
      if (something) return {};
      return fail(Fault::usage, "no_results", given + ": no eval_results*.json, no baseline_time_*.json in it");
    }
    const std::string name = path.filename().string();
    if (const std::string baseline = baseline_of_file(name); !baseline.empty()) return take_baselines(path, baseline);
    if (const std::string tests = tests_of_file(name); !tests.empty()) {
      KBV_TRY_ASSIGN(const Listing beside, list(path.parent_path()));
      return take_results(path.parent_path(), beside, {name});
    }
    if (!fs::exists(path, ignored)) return fail(Fault::usage, "no_file", given + ": no such file or folder");
    return fail(Fault::usage, "no_results",
                given + ": its name is not one of KernelBench's: eval_results*.json, baseline_time_*.json");
  }

  Result<KernelBenchFiles> finish() {
    std::set<std::tuple<std::string, int, int, int, std::string, std::string>> seen;
    for (const RecordedResult& r : files_.results)
      if (!seen.emplace(r.run, r.level, r.number, r.sample, r.harness, r.tests).second)
        return fail(Fault::usage, "bad_results",
                    fmt::format("two files say something of run {}, level {}, problem {}, sample {}: import them under "
                                "names of their own (--run)",
                                shown(r.run), r.level, r.number, r.sample));
    std::set<std::tuple<std::string, std::string, int, std::string>> baselines;
    for (const RecordedBaseline& b : files_.baselines)
      if (!baselines.emplace(b.hardware, b.name, b.level, b.problem).second)
        return fail(
            Fault::usage, "bad_results",
            fmt::format("two files say something of {}, {} on {}", shown(b.problem), shown(b.name), shown(b.hardware)));
    return std::move(files_);
  }

 private:
  Result<bool> take_folder(const fs::path& folder, int depth) {
    KBV_TRY_ASSIGN(const Listing listing, list(folder));
    std::vector<std::string> results, baselines;
    for (const std::string& file : listing.files) {
      if (!tests_of_file(file).empty())
        results.push_back(file);
      else if (!baseline_of_file(file).empty())
        baselines.push_back(file);
      else if (file.rfind("eval_results", 0) == 0 || file.rfind("baseline_time", 0) == 0)
        files_.notes.push_back(fmt::format("{}: not taken: not a name of KernelBench's", (folder / file).string()));
    }
    if (!results.empty()) KBV_TRY(take_results(folder, listing, results));
    for (const std::string& file : baselines) KBV_TRY(take_baselines(folder / file, baseline_of_file(file)));
    if (!results.empty() || !baselines.empty()) return true;
    const bool run = std::any_of(listing.files.begin(), listing.files.end(), [](const auto& file) {
      constexpr std::string_view k_kernel = "_kernel.py";  // some forks name them problem_{P}_kernel.py
      return file == "generation_config.yaml" ||
             (file.size() > k_kernel.size() && file.substr(file.size() - k_kernel.size()) == k_kernel);
    });
    if (run) files_.notes.push_back(fmt::format("{}: not taken: a run without eval_results.json", folder.string()));
    if (run || depth == k_folder_depth) return false;
    bool something = false;
    for (const std::string& name : listing.folders) {
      if (name[0] == '.') continue;
      KBV_TRY_ASSIGN(const bool more, take_folder(folder / name, depth + 1));
      something |= more;
    }
    return something;
  }

  Result<void> take_results(const fs::path& folder, const Listing& listing, const std::vector<std::string>& files) {
    ResultsSource source;
    KBV_TRY(know_run(folder, listing, source));
    for (const std::string& file : files) {
      source.where = (folder / file).string();
      source.tests = tests_of_file(file);
      KBV_TRY_ASSIGN(const std::string text, read_file(source.where, "results", k_python_json_bytes));
      KBV_TRY_ASSIGN(ResultsRead read, read_results(text, source));
      const auto correct =
          std::count_if(read.results.begin(), read.results.end(), [](const auto& r) { return r.correct; });
      files_.taken.push_back(fmt::format("{}: run {}, level {}, {} tests: {} results, {} of them correct", source.where,
                                         shown(source.run), source.level, source.tests, read.results.size(), correct));
      for (const std::string& note : read.notes) files_.notes.push_back(fmt::format("{}: {}", source.where, note));
      std::move(read.results.begin(), read.results.end(), std::back_inserter(files_.results));
    }
    const auto kernels = std::count_if(listing.files.begin(), listing.files.end(),
                                       [](const auto& file) { return level_of_kernel(file).has_value(); });
    if (kernels > 0)
      files_.notes.push_back(
          fmt::format("{}: {} candidates are not taken; kbv run evaluates them", folder.string(), kernels));
    return {};
  }

  /// Name and level of the run in `folder`.
  Result<void> know_run(const fs::path& folder, const Listing& listing, ResultsSource& source) {
    const std::string config_path = (folder / "generation_config.yaml").string();
    KBV_TRY_ASSIGN(auto config, read_generation_config(folder.string()));
    source.run = !source_.run.empty() ? source_.run : config["run_name"];
    if (source.run.empty()) source.run = folder.filename().string();
    if (source_.run.empty()) {
      if (!runs_.emplace(source.run, folder.string()).second && runs_.at(source.run) != folder.string())
        files_.notes.push_back(
            fmt::format("{}: the same run as {}: {}", folder.string(), runs_.at(source.run), shown(source.run)));
    } else if (runs_.emplace(source.run, folder.string()); runs_.at(source.run) != folder.string()) {
      return fail(
          Fault::usage, "bad_run",
          fmt::format("--run names one run, but results are in {} and in {}", runs_.at(source.run), folder.string()));
    }
    const bool printable =
        std::all_of(source.run.begin(), source.run.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (source.run.size() > k_name_bytes || !printable)
      return fail(Fault::usage, "bad_run",
                  fmt::format("{}: the run's name is longer than {} bytes or has other than printable ASCII "
                              "characters; give another with --run",
                              folder.string(), k_name_bytes));

    if (const std::string level = config["level"]; !source_.level && !level.empty()) {
      const auto number = leading_number(level, k_largest_level);
      if (!number || std::to_string(*number) != level)
        return fail(Fault::usage, "bad_config",
                    fmt::format("{}: level: expected a number, got {}", config_path, shown(level)));
      source.level = *number;
      return {};
    }
    auto level = source_.level ? source_.level : level_of_run(source.run);
    if (!level) level = level_of_run(folder.filename().string());
    if (!level) level = level_of_files(listing);
    if (!level)
      return fail(
          Fault::usage, "no_level",
          fmt::format("{}: nothing tells of which level the results are; say it with --level", folder.string()));
    source.level = *level;
    return {};
  }

  static std::optional<int> level_of_files(const Listing& listing) {
    std::set<int> levels;
    for (const std::string& file : listing.files)
      if (const auto level = level_of_kernel(file)) levels.insert(*level);
    return levels.size() == 1 ? std::optional(*levels.begin()) : std::nullopt;
  }

  Result<void> take_baselines(const fs::path& path, const std::string& name) {
    const std::string hardware = path.parent_path().filename().string();
    if (hardware.empty() || hardware.size() > k_name_bytes)
      return fail(Fault::usage, "bad_results", path.string() + ": its folder has no name that could be a device's");
    KBV_TRY_ASSIGN(const std::string text, read_file(path.string(), "baselines", k_python_json_bytes));
    KBV_TRY_ASSIGN(BaselinesRead read, read_baselines(text, hardware, name, path.string()));
    const auto timed = std::count_if(read.baselines.begin(), read.baselines.end(),
                                     [](const auto& b) { return b.mean_ms.has_value(); });
    files_.taken.push_back(fmt::format("{}: {} on {}: {} problems, {} of them timed", path.string(), shown(name),
                                       shown(hardware), read.baselines.size(), timed));
    for (const std::string& note : read.notes) files_.notes.push_back(fmt::format("{}: {}", path.string(), note));
    std::move(read.baselines.begin(), read.baselines.end(), std::back_inserter(files_.baselines));
    return {};
  }

  const KernelBenchSource& source_;
  KernelBenchFiles files_;
  std::map<std::string, std::string> runs_;  // where each is from
};

}  // namespace

Result<KernelBenchFiles> read_kernelbench_files(const std::vector<std::string>& paths,
                                                const KernelBenchSource& source) {
  Collector collector(source);
  for (const std::string& path : paths) KBV_TRY(collector.take(path));
  return collector.finish();
}

}  // namespace kbv
