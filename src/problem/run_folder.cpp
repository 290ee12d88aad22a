// SPDX-License-Identifier: MIT
#include "problem/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <tuple>

#include "base/file.h"
#include "problem/flat_yaml.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;

constexpr int k_max_depth = 3;
constexpr std::size_t k_max_files = 1'000'000;
constexpr std::string_view k_digits = "0123456789";

struct Names {
  std::optional<int> level, number, sample;
};

/// Of a candidate's file name: level_1_problem_2_sample_3_kernel.py, problem_2_kernel.py.
std::optional<Names> names_of_file(std::string_view name) {
  constexpr std::string_view k_end = "_kernel.py";
  if (!name.ends_with(k_end)) return std::nullopt;
  name.remove_suffix(k_end.size());
  Names names;
  const auto take = [&](std::string_view word) -> std::optional<int> {
    if (!name.starts_with(word)) return std::nullopt;
    const auto number = leading_number(name.substr(word.size()));
    if (!number) return std::nullopt;
    name.remove_prefix(std::min(name.find_first_not_of(k_digits, word.size()), name.size()));
    if (name.starts_with('_')) name.remove_prefix(1);
    return number;
  };
  names.level = take("level_");
  names.number = take("problem_");
  names.sample = take("sample_");
  if (!names.number || !name.empty()) return std::nullopt;
  return names;
}

/// Of a folder that holds one candidate: kernel_19_ReLU_py.
std::optional<int> number_of_folder(std::string_view name) {
  if (!name.starts_with("kernel_") || !name.ends_with("_py")) return std::nullopt;
  return leading_number(name.substr(7));
}

class Walk {
 public:
  explicit Walk(std::optional<int> level) : given_level_(level) {}

  Result<void> visit(const fs::path& folder, const std::string& run, int depth) {
    std::vector<fs::path> files, folders;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (++seen_ > k_max_files) return bad(folder, fmt::format("more than {} files", k_max_files));
      std::error_code ignored;
      if (entry->path().filename().string().starts_with('.')) continue;
      if (entry->is_directory(ignored))
        folders.push_back(entry->path());
      else if (entry->path().extension() == ".py")
        files.push_back(entry->path());
    }
    if (error) return bad(folder, error.message());
    std::sort(files.begin(), files.end());
    std::sort(folders.begin(), folders.end());
    KBV_TRY_ASSIGN(const auto config, read_generation_config(folder.string()));
    const auto text = [&](const char* key) {
      const auto found = config.find(key);
      return found == config.end() ? std::string() : found->second;
    };
    std::optional<int> level = leading_number(text("level"));
    if (!level) level = level_of_run(run);
    if (!level) level = given_level_;
    bool any = false;
    const auto add = [&](const Names& names, const fs::path& path) {
      const std::optional<int> its_level = names.level ? names.level : level;
      if (!its_level) return skip(path, "its level is not known; give it with --level");
      any = true;
      found_.candidates.push_back({run, *its_level, *names.number, names.sample.value_or(0), path.string()});
    };
    for (const auto& path : files) {
      if (const auto names = names_of_file(path.filename().string()))
        add(*names, path);
      else
        skip(path, "not level_L_problem_P_sample_S_kernel.py");
    }
    for (const auto& path : folders) {
      const auto number = number_of_folder(path.filename().string());
      if (number && fs::is_regular_file(path / "generated_code.py", error))
        add({{}, number, {}}, path / "generated_code.py");
      else if (depth < k_max_depth)
        KBV_TRY(visit(path, depth == 0 && !any ? path.filename().string() : run + "/" + path.filename().string(),
                      depth + 1));
    }
    if (any) found_.runs[run] = text("precision");
    return {};
  }

  Result<RunFolder> take(const std::string& folder) {
    auto& all = found_.candidates;
    const auto place = [](const RunCandidate& one) { return std::tie(one.run, one.level, one.number, one.sample); };
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    for (std::size_t i = 1; i < all.size(); ++i)
      if (place(all[i]) == place(all[i - 1]))
        return bad(all[i].path, fmt::format("level {} problem {} sample {} of run {} is {} too", all[i].level,
                                            all[i].number, all[i].sample, all[i].run, all[i - 1].path));
    if (all.empty())
      return bad(folder, found_.skipped.empty() ? "no candidates in it (level_L_problem_P_sample_S_kernel.py)"
                                                : "no candidates in it; " + found_.skipped.front());
    return std::move(found_);
  }

 private:
  static tl::unexpected<Error> bad(const fs::path& where, const std::string& what) {
    return fail(Fault::usage, "bad_run", fmt::format("run folder: {}: {}", where.string(), what));
  }
  void skip(const fs::path& path, const std::string& why) { found_.skipped.push_back(path.string() + ": " + why); }

  const std::optional<int> given_level_;
  std::size_t seen_ = 0;
  RunFolder found_;
};

}  // namespace

std::optional<int> leading_number(std::string_view text, int largest) {
  int number = 0;
  if (text.empty() || k_digits.find(text[0]) == std::string_view::npos) return std::nullopt;  // no sign
  const bool read = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  return read && number <= largest ? std::optional(number) : std::nullopt;
}

Result<std::map<std::string, std::string>> read_generation_config(const std::string& folder) {
  const fs::path path = fs::path(folder) / "generation_config.yaml";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::map<std::string, std::string>();
  KBV_TRY_ASSIGN(const std::string text, read_file(path.string(), "run", 1u << 20));
  return read_flat_yaml(text, path.string());
}

std::optional<int> level_of_run(std::string_view name) {
  constexpr std::string_view k_level = "level";
  std::set<int> levels;
  for (std::size_t at = name.find(k_level); at != std::string_view::npos; at = name.find(k_level, at + 1)) {
    std::size_t digits = at + k_level.size();
    if (digits < name.size() && (name[digits] == '_' || name[digits] == '-')) ++digits;
    if (const auto level = leading_number(name.substr(digits), k_largest_level)) levels.insert(*level);
  }
  return levels.size() == 1 ? std::optional(*levels.begin()) : std::nullopt;
}

Result<RunFolder> read_run_folder(const std::string& folder, std::optional<int> level) {
  std::error_code error;
  const fs::path path = fs::canonical(folder, error);
  if (error || !fs::is_directory(path, error))
    return fail(Fault::usage, "bad_run", fmt::format("run folder: {}: not a folder", folder));
  Walk walk(level);
  KBV_TRY(walk.visit(path, path.filename().string(), 0));
  return walk.take(folder);
}

}  // namespace kbv
