// SPDX-License-Identifier: MIT
#include "problem/suite.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <tuple>

#include "base/file.h"
#include "base/secret.h"
#include "base/version.h"
#include "problem/known_problems.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;

constexpr int k_levels = 3;                  // of level 4, problems download models
constexpr std::size_t k_max_files = 20'000;  // in one level's folder

/// The data sets that known_problems.toml describes, and the revision that it is of.
const std::map<std::string, std::string> k_data_sets = {{"kernelbench", "kernelbench 423217d"},
                                                        {"verified", "verified 3fdf6fe"}};

tl::unexpected<Error> bad(const std::string& where, const std::string& what) {
  return fail(Fault::usage, "bad_suite", fmt::format("suite: {}: {}", where, what));
}

Result<void> add_file(Suite& suite, int level, int number, const fs::path& path) {
  KBV_TRY_ASSIGN(const std::string bytes, read_file(path.string(), "suite"));
  suite.problems.push_back({level, number, path.stem().string(), path.string(), sha256_hex(bytes)});
  return {};
}

/// The number that a file name begins with: "19_ReLU.py". 0: it is no problem's.
int number_of(const std::string& name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool fits = error == std::errc() && number > 0 && *end == '_' && name.ends_with(".py");
  return fits ? number : 0;
}

Result<void> read_level(Suite& suite, int level, const fs::path& folder) {
  std::error_code error;
  std::size_t count = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (++count > k_max_files) return bad(folder.string(), fmt::format("more than {} files", k_max_files));
    const std::string name = entry->path().filename().string();
    if (const int number = number_of(name); number > 0 && entry->is_regular_file(error))
      KBV_TRY(add_file(suite, level, number, entry->path()));
    else
      suite.skipped.push_back(fmt::format("level{}/{}: not NUMBER_NAME.py", level, name));
  }
  if (error) return bad(folder.string(), error.message());
  return {};
}

Result<void> read_levels(Suite& suite, const fs::path& folder) {
  std::error_code ignored;
  bool any = false;
  for (int level = 1; level <= 9; ++level) {
    const fs::path path = folder / fmt::format("level{}", level);
    if (!fs::is_directory(path, ignored)) continue;
    if (level > k_levels) {
      suite.skipped.push_back(fmt::format("level{}: only levels 1 to {} are judged", level, k_levels));
      continue;
    }
    any = true;
    KBV_TRY(read_level(suite, level, path));
  }
  if (!any) return bad(folder.string(), "no folder level1, level2 or level3 in it, and no suite.toml");
  return {};
}

Result<void> read_numbered(Suite& suite, const fs::path& manifest) {
  KBV_TRY_ASSIGN(const std::string text, read_file(manifest.string(), "suite"));
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return bad(manifest.string(),
               fmt::format("line {}: {}", parsed.error().source().begin.line, parsed.error().description()));
  const toml::array* rows = parsed.table()["problem"].as_array();
  if (!rows) return bad(manifest.string(), "it has no [[problem]]");
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const toml::node_view<const toml::node> row{rows->get(i)};
    const auto level = row["level"].value<std::int64_t>(), number = row["number"].value<std::int64_t>();
    const auto file = row["file"].value<std::string>();
    const std::string where = fmt::format("{}: problem {}", manifest.string(), i + 1);
    if (!level || *level < 1 || *level > k_levels) return bad(where, fmt::format("level: 1 to {}", k_levels));
    if (!number || *number < 1 || *number > 1'000'000) return bad(where, "number: 1 to 1000000");
    if (!file || file->empty() || file->find('/') != std::string::npos)
      return bad(where, "file: a name in the same folder");
    KBV_TRY(add_file(suite, static_cast<int>(*level), static_cast<int>(*number), manifest.parent_path() / *file));
  }
  return {};
}

/// The data set that most of the problems are of, as far as that is most of its own.
std::string recognise(const Suite& suite) {
  std::string best = "unknown";
  std::size_t most = 0;
  for (const auto& data_set : k_data_sets) {
    const auto& set = data_set.first;  // no binding: clang 14 can't capture one
    const auto& title = data_set.second;
    const auto count = static_cast<std::size_t>(
        std::count_if(suite.problems.begin(), suite.problems.end(), [&](const SuiteProblem& one) {
          const KnownProblem* known = find_known_problem(one.sha256);
          return known && known->level == one.level && known->number == one.number &&
                 std::find(known->sets.begin(), known->sets.end(), set) != known->sets.end();
        }));
    const std::size_t all = suite.problems.size();
    if (2 * count <= all || count <= most) continue;
    most = count;
    best = title + (count < all ? fmt::format(", {} of {} changed", all - count, all) : "");
  }
  return best;
}

std::string fingerprint(const Suite& suite) {
  std::string text;
  for (const auto& one : suite.problems)
    text += fmt::format("{} {} {} {}\n", one.level, one.number, one.name, one.sha256);
  return sha256_hex(text);
}

}  // namespace

const SuiteProblem* Suite::find(int level, int number) const {
  const auto found = std::find_if(problems.begin(), problems.end(),
                                  [&](const SuiteProblem& one) { return one.level == level && one.number == number; });
  return found == problems.end() ? nullptr : &*found;
}

Result<Suite> read_suite(const std::string& folder) {
  std::error_code error;
  const fs::path given = fs::canonical(folder, error);
  if (error || !fs::is_directory(given, error)) return bad(folder, "not a folder");
  Suite suite;
  suite.folder = given.string();
  const auto is_base = [&](const fs::path& path) {
    for (int level = 1; level <= k_levels; ++level)
      if (fs::is_directory(path / fmt::format("level{}", level), error)) return true;
    return false;
  };
  if (fs::exists(given / "suite.toml", error)) {
    KBV_TRY(read_numbered(suite, given / "suite.toml"));
  } else {
    const bool checkout = !is_base(given) && is_base(given / "KernelBench");
    KBV_TRY(read_levels(suite, checkout ? given / "KernelBench" : given));
  }
  auto& problems = suite.problems;
  const auto place = [](const SuiteProblem& one) { return std::tie(one.level, one.number, one.name); };
  std::sort(problems.begin(), problems.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::sort(suite.skipped.begin(), suite.skipped.end());
  for (std::size_t i = 1; i < problems.size(); ++i)
    if (problems[i].level == problems[i - 1].level && problems[i].number == problems[i - 1].number)
      return bad(problems[i].path,
                 fmt::format("level {} no. {} is {} too", problems[i].level, problems[i].number, problems[i - 1].name));
  if (problems.empty()) return bad(folder, "no problems in it");
  suite.version = recognise(suite);
  suite.fingerprint = fingerprint(suite);
  return suite;
}

}  // namespace kbv
