// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>

#include "cli/verbs.h"
#include "problem/suite.h"
#include "report/report.h"

namespace kbv {
namespace {

void print_suite(const Suite& suite) {
  std::map<int, int> levels;
  for (const auto& problem : suite.problems) ++levels[problem.level];
  std::string counts;
  for (const auto& [level, count] : levels)
    counts += fmt::format("{}level {}: {}", counts.empty() ? "" : ", ", level, count);
  fmt::print("{}\n  data set  {}\n  problems  {}\n  folder    {}\n", printable(suite.name), suite.version,
             suite.problems.empty() ? "none" : fmt::format("{} ({})", suite.problems.size(), counts),
             printable(suite.folder));
}

}  // namespace

int run_suite_add(const SuiteAddOptions& options) {
  const auto suite = add_suite(options.folder, options.name);
  if (!suite) return print_error(suite.error());
  print_suite(*suite);
  for (const auto& skipped : suite->skipped) fmt::print("  skipped   {}\n", printable(skipped));
  return k_exit_correct;
}

int run_suite_list() {
  const auto suites = known_suites();
  if (!suites) return print_error(suites.error());
  for (const auto& suite : *suites) {
    print_suite(suite);
    if (suite.problems.empty())
      for (const auto& why : suite.skipped) fmt::print("  not usable: {}\n", printable(why));
  }
  return k_exit_correct;
}

}  // namespace kbv
