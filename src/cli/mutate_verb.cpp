// SPDX-License-Identifier: MIT
// Makes wrong candidates out of right ones, as a zoo of their own.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/json_text.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "mutate/equivalents.h"
#include "mutate/mutations.h"
#include "problem/zoo_manifest.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;

/// The manifest's entry of a file: the one whose path is the end of the file's.
const ZooEntry* entry_of(const std::vector<ZooEntry>& entries, const std::string& path) {
  const std::string whole = fmt::format("/{}", fs::path(path).lexically_normal().generic_string());
  for (const ZooEntry& entry : entries)
    if (whole.ends_with("/" + entry.file)) return &entry;
  return nullptr;
}

std::string manifest_entry(const ZooEntry& original, const std::string& file, const Mutant& mutant,
                           const EquivalentMutant* equivalent) {
  std::string needs;
  for (const std::string& need : original.needs) needs += (needs.empty() ? "" : ", ") + quoted_text(need);
  std::string note = fmt::format("{}, {}, line {}, {}: {} -> {}", original.file, mutant.part, mutant.line, mutant.rule,
                                 mutant.old_text, mutant.new_text);
  if (mutant.occurrence > 1) note += fmt::format(" (occurrence {})", mutant.occurrence);
  if (equivalent) note += "; equivalent: " + equivalent->reason;
  std::string text =
      fmt::format("\n[[candidate]]\nfile = {}\ngroup = {}\nproblem = {}\nexpect = {}\nneeds = [{}]\n",
                  quoted_text(file), quoted_text(to_string(mutant.family)), quoted_text(original.problem),
                  quoted_text(equivalent ? "correct" : "rejected"), needs);
  if (original.timeout_s > 0) text += fmt::format("limits = {{timeout_s = {:.1f}}}\n", original.timeout_s);
  return text + fmt::format("note = {}\n", quoted_text(note));
}

Result<std::vector<Family>> families_of(const std::vector<std::string>& names) {
  std::vector<Family> families;
  for (const std::string& name : names) {
    const auto family = family_named(name);
    if (!family)
      return fail(Fault::usage, "bad_family",
                  "--families: " + name + ": index, bound, operator, constant, sync, precision, init");
    families.push_back(*family);
  }
  return families.empty() ? std::vector<Family>(std::begin(k_mutation_families), std::end(k_mutation_families)) : families;
}

struct Written {
  std::map<Family, std::pair<int, int>> of;  ///< mutants, and those of them that are equivalent
  std::vector<std::string> rounds;  ///< of the manifest: the first mutant of each candidate, the second of each...
};

Result<void> write_mutants(const MutateOptions& options, const std::string& path, const ZooEntry& original,
                           std::vector<Family> families, const std::vector<EquivalentMutant>& equivalents,
                           Written& written) {
  KBV_TRY_ASSIGN(const std::string file, read_file(path, "candidate"));
  auto all = all_mutants(file);
  if (!all) {
    all.error().message = path + ": " + all.error().message;
    return tl::make_unexpected(std::move(all).error());
  }
  if (all->empty())
    say(stderr, "kbv: {}: no CUDA or C++ source in a string, or nothing in it to change\n", path);
  std::map<Family, int> number;
  std::size_t round = 0;
  // A candidate gives fewer mutants than there are families, or lacks some: those that have the fewest so far come
  // first.
  std::stable_sort(families.begin(), families.end(),
                   [&](Family a, Family b) { return written.of[a].first < written.of[b].first; });
  for (const Mutant& mutant :
       choose_mutants(*all, families, static_cast<std::size_t>(options.per_file), options.seed)) {
    const std::string name =
        fmt::format("{}__{}_{}.py", fs::path(path).stem().string(), to_string(mutant.family), ++number[mutant.family]);
    const EquivalentMutant* equivalent = find_equivalent(equivalents, original.file, mutant);
    KBV_TRY(write_file(options.folder + "/" + name, mutant.apply(file)));
    if (round == written.rounds.size()) written.rounds.emplace_back();
    written.rounds[round++] += manifest_entry(original, name, mutant, equivalent);
    ++written.of[mutant.family].first;
    written.of[mutant.family].second += equivalent != nullptr;
  }
  return {};
}

Result<Written> mutate(const MutateOptions& options) {
  KBV_TRY_ASSIGN(const std::string zoo, data_path("zoo"));
  KBV_TRY_ASSIGN(const std::vector<ZooEntry> entries,
                 read_zoo_manifest(options.manifest.empty() ? zoo + "/zoo.toml" : options.manifest));
  KBV_TRY_ASSIGN(
      const std::vector<EquivalentMutant> equivalents,
      read_equivalent_mutants(options.equivalents.empty() ? zoo + "/equivalent_mutants.toml" : options.equivalents));
  KBV_TRY_ASSIGN(const std::vector<Family> families, families_of(options.families));
  std::map<std::string, std::string> named;
  for (const std::string& path : options.candidates) {
    const ZooEntry* entry = entry_of(entries, path);
    if (!entry) return fail(Fault::usage, "not_listed", path + ": the manifest does not list it (--manifest)");
    if (!entry->must_pass())
      return fail(Fault::usage, "not_right",
                  path + ": not a right candidate, so a mutant that is rejected would say nothing");
    if (const auto [other, first] = named.emplace(fs::path(path).stem().string(), path); !first)
      return fail(Fault::usage, "same_name", fmt::format("{} and {}: files of the same name", other->second, path));
  }
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return fail(Fault::usage, "no_folder", options.folder + ": " + error.message());
  if (!fs::is_empty(options.folder, error) || error)
    return fail(Fault::usage, "not_empty", options.folder + ": --out needs a new or an empty folder");
  Written written;
  for (const std::string& path : options.candidates)
    KBV_TRY(write_mutants(options, path, *entry_of(entries, path), families, equivalents, written));
  const bool any =
      std::any_of(written.of.begin(), written.of.end(), [](const auto& one) { return one.second.first > 0; });
  if (!any) return fail(Fault::usage, "no_mutants", "no candidate gave a mutant");
  std::string manifest =
      "# SPDX-License-Identifier: MIT\n"
      "# Written by kbv mutate: one change in each of these, which a check must see (docs/mutation.md).\n";
  for (const std::string& round : written.rounds) manifest += round;
  KBV_TRY(write_file(options.folder + "/zoo.toml", manifest));
  return written;
}

}  // namespace

int run_mutate(const MutateOptions& options) {
  const auto written = mutate(options);
  if (!written) return print_error(written.error());
  int mutants = 0, equivalent = 0;
  for (const auto& [family, count] : written->of) {
    if (count.first == 0) continue;
    say(stdout, "{:<10} {:>5} mutants{}\n", to_string(family), count.first,
               count.second > 0 ? fmt::format(", {} known to be equivalent", count.second) : "");
    mutants += count.first;
    equivalent += count.second;
  }
  say(stdout, "mutate: {} mutants of {} candidates, {} known to be equivalent; judge them: kbv zoo --folder {}\n",
             mutants, options.candidates.size(), equivalent, options.folder);
  return k_exit_correct;
}

}  // namespace kbv
