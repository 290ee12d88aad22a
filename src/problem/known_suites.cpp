// SPDX-License-Identifier: MIT
// Which suites a user has: a small file of names and folders. The folders are read anew each time.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "base/version.h"
#include "problem/suite.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* k_schema = "kbv-suites/1";

struct Entry {
  std::string folder, version, fingerprint;
};

std::string registry_path() { return state_path("suites.json"); }

tl::unexpected<Error> bad(const std::string& what) {
  return fail(Fault::usage, "bad_suites", fmt::format("{}: {}", registry_path(), what));
}

Result<std::map<std::string, Entry>> read_registry() {
  std::map<std::string, Entry> entries;
  std::error_code ignored;
  if (!fs::exists(registry_path(), ignored)) return entries;
  KBV_TRY_ASSIGN(const std::string text, read_file(registry_path(), "suites"));
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object() || all.value("schema", json()) != k_schema) return bad("not of schema kbv-suites/1");
  const auto suites = all.find("suites");
  if (suites == all.end() || !suites->is_object()) return bad("suites: expected an object");
  for (const auto& [name, entry] : suites->items())
    for (const char* field : {"folder", "version", "fingerprint"})
      if (!entry.is_object() || !entry.contains(field) || !entry[field].is_string())
        return bad(fmt::format("suites.{}.{}: expected a string", name, field));
  for (const auto& [name, entry] : suites->items())
    entries[name] = {entry["folder"].get<std::string>(), entry["version"].get<std::string>(),
                     entry["fingerprint"].get<std::string>()};
  return entries;
}

Result<Suite> own_suite() {
  KBV_TRY_ASSIGN(const std::string folder, data_path("suite"));
  KBV_TRY_ASSIGN(Suite suite, read_suite(folder));
  suite.name = k_own_suite;
  suite.version = std::string("kbv ") + k_version;
  return suite;
}

Result<Suite> read_entry(const std::string& name, const Entry& entry) {
  KBV_TRY_ASSIGN(Suite suite, read_suite(entry.folder));
  suite.name = name;
  if (suite.fingerprint != entry.fingerprint)
    return fail(
        Fault::usage, "suite_changed",
        fmt::format(
            "suite {}: {} has changed since it was added ({}, now {}); to take it as it is: kbv suite add --name {} {}",
            name, entry.folder, entry.version, suite.version, name, entry.folder));
  return suite;
}

}  // namespace

Result<std::vector<Suite>> known_suites() {
  std::vector<Suite> suites;
  KBV_TRY_ASSIGN(Suite own, own_suite());
  suites.push_back(std::move(own));
  KBV_TRY_ASSIGN(const auto entries, read_registry());
  for (const auto& [name, entry] : entries) {
    auto suite = read_entry(name, entry);
    if (!suite) {
      std::string why = std::move(suite).error().message;
      suite = Suite{name, entry.folder, entry.version, {}, {}, {std::move(why)}};
    }
    suites.push_back(std::move(*suite));
  }
  return suites;
}

Result<Suite> find_suite(const std::string& name_or_folder) {
  if (name_or_folder == k_own_suite) return own_suite();
  KBV_TRY_ASSIGN(const auto entries, read_registry());
  if (const auto found = entries.find(name_or_folder); found != entries.end())
    return read_entry(found->first, found->second);
  std::error_code ignored;
  if (fs::is_directory(name_or_folder, ignored)) {
    KBV_TRY_ASSIGN(Suite suite, read_suite(name_or_folder));
    suite.name = fs::path(suite.folder).filename().string();
    return suite;
  }
  std::string names = k_own_suite;
  for (const auto& [name, entry] : entries) names += ", " + name;
  return fail(
      Fault::usage, "no_suite",
      fmt::format("suite {}: neither a folder nor the name of a suite; there are: {} (kbv suite add FOLDER adds one)",
                  name_or_folder, names));
}

Result<Suite> add_suite(const std::string& folder, const std::string& name, SuiteName taking) {
  KBV_TRY_ASSIGN(Suite suite, read_suite(folder));
  suite.name = !name.empty()                ? name
               : suite.version != "unknown" ? suite.version.substr(0, suite.version.find_first_of(" ,"))
                                            : fs::path(suite.folder).filename().string();
  if (suite.name == k_own_suite)
    return fail(Fault::usage, "bad_suite", "suite: kbv is the name of the one that comes with kbv");
  for (const char c : suite.name)
    if (static_cast<unsigned char>(c) <= ' ' || c == '/' || c == 127)
      return fail(Fault::usage, "bad_suite",
                  "suite: a name has no spaces, slashes or control characters; give one with --name");
  KBV_TRY_ASSIGN(auto entries, read_registry());
  if (const auto found = entries.find(suite.name);
      found != entries.end() && found->second.folder != suite.folder && taking == SuiteName::must_be_free)
    return fail(
        Fault::usage, "suite_taken",
        fmt::format("suite: {} is {} already; give {} another name with --name, or the name to it with --replace",
                    suite.name, found->second.folder, suite.folder));
  entries[suite.name] = {suite.folder, suite.version, suite.fingerprint};
  json all = {{"schema", k_schema}, {"suites", json::object()}};
  for (const auto& [key, entry] : entries)
    all["suites"][key] = {{"folder", entry.folder}, {"version", entry.version}, {"fingerprint", entry.fingerprint}};
  std::error_code error;
  fs::create_directories(fs::path(registry_path()).parent_path(), error);
  if (error) return fail(Fault::usage, "no_state", fmt::format("{}: {}", registry_path(), error.message()));
  KBV_TRY(write_file(registry_path(), json_text(all, 1) + "\n"));
  return suite;
}

}  // namespace kbv
