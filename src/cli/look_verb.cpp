// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/json_text.h"
#include "base/secret.h"
#include "base/statistics.h"
#include "cli/say.h"
#include "cli/verbs.h"
#include "look/look.h"
#include "look/rules.h"
#include "os/interrupt.h"
#include "report/report.h"

namespace kbv {
namespace {

using Json = nlohmann::ordered_json;

struct Looked {
  std::string path, sha256;
  SourceLabels labels;
};

Json to_json(const Looked& looked) {
  Json labels = Json::array();
  for (const SourceLabel& label : looked.labels.labels)
    labels.push_back({{"rule", label.rule}, {"line", label.line}, {"column", label.column}, {"detail", label.detail}});
  return {{"path", looked.path},
          {"sha256", looked.sha256},
          {"state", looked.labels.state},
          {"why", looked.labels.why},
          {"seconds", looked.labels.seconds},
          {"labels", std::move(labels)},
          {"left_out", looked.labels.left_out}};
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().filename().string();
  return folder.empty() ? "." : folder;
}

/// For each rule, how many files of each folder have it; then what a look took.
void print_summary(const std::vector<Looked>& all) {
  std::map<std::string, std::size_t> files;
  std::map<std::string, std::map<std::string, std::size_t>> with_rule;  // by rule and folder
  std::map<std::string, std::size_t> with_any, not_looked_at;
  std::vector<double> seconds;
  for (const Looked& one : all) {
    const std::string folder = folder_of(one.path);
    ++files[folder];
    std::set<std::string> rules;
    for (const SourceLabel& label : one.labels.labels) rules.insert(label.rule);
    for (const auto& [rule, count] : one.labels.left_out) rules.insert(rule);
    for (const std::string& rule : rules) ++with_rule[rule][folder];
    if (!rules.empty()) ++with_any[folder];
    if (one.labels.state == "not looked at") ++not_looked_at[folder];
    seconds.push_back(one.labels.seconds);
  }
  const auto row = [&](std::string_view name, const auto& count_of) {
    say(stdout, "{:<18}", name);
    for (const auto& [folder, count] : files) say(stdout, " {:>12}", count_of(folder));
    say(stdout, "\n");
  };
  const auto number = [](const std::map<std::string, std::size_t>& counts, const std::string& folder) {
    const auto found = counts.find(folder);
    return fmt::format("{}", found == counts.end() ? 0 : found->second);
  };
  row("rule", [](const std::string& folder) { return folder; });
  for (const LookRule& rule : look_rules()) {
    const auto found = with_rule.find(std::string(rule.id));
    if (found != with_rule.end())
      row(rule.id, [&](const std::string& folder) { return number(found->second, folder); });
  }
  row("any of them", [&](const std::string& folder) { return number(with_any, folder); });
  row("files", [&](const std::string& folder) { return number(files, folder); });
  row("not looked at", [&](const std::string& folder) { return number(not_looked_at, folder); });
  say(stdout, "a look took {:.3f} s in the median, {:.3f} s at most\n", median(seconds),
      *std::max_element(seconds.begin(), seconds.end()));
}

}  // namespace

int run_look(const LookVerbOptions& options) {
  const auto python = find_python(options.python);
  if (!python) return print_error(python.error());
  std::vector<Looked> all;
  for (const std::string& path : options.files) {
    const auto source = read_file(path, "candidate");
    if (!source) return print_error(source.error());
    all.push_back({path, sha256_hex(*source), look_at_source(*python, *source, isolation_profile(options.isolation))});
    if (interrupted()) return print_error({Fault::machine, "interrupted", "interrupted", {}});
  }
  if (options.json) {
    Json list = Json::array();
    for (const Looked& one : all) list.push_back(to_json(one));
    say_page(stdout, json_text(Json{{"schema", "kbv-look/1"}, {"files", std::move(list)}}, 1) + "\n");
  } else if (options.summary) {
    print_summary(all);
  } else {
    ReportStyle style;
    style.colour = ::isatty(STDOUT_FILENO) == 1;
    style.verbose = options.verbose;
    for (const Looked& one : all) {
      say(stdout, "{}\n", one.path);
      say_page(stdout, labels_report(one.labels, style) + "\n");
    }
  }
  const bool looked =
      std::all_of(all.begin(), all.end(), [](const Looked& one) { return one.labels.state != "not looked at"; });
  return looked ? k_exit_correct : k_exit_rejected;
}

}  // namespace kbv
