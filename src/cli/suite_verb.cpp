// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>

#include "cli/say.h"
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
  say(stdout, "{}\n  data set  {}\n  problems  {}\n  folder    {}\n", suite.name, suite.version,
      suite.problems.empty() ? "none" : fmt::format("{} ({})", suite.problems.size(), counts), suite.folder);
}

}  // namespace

int run_suite_add(const SuiteAddOptions& options) {
  const auto suite =
      add_suite(options.folder, options.name, options.replace ? SuiteName::may_be_taken : SuiteName::must_be_free);
  if (!suite) return print_error(suite.error());
  print_suite(*suite);
  for (const auto& skipped : suite->skipped) say(stdout, "  skipped   {}\n", skipped);
  return k_exit_correct;
}

int run_suite_list() {
  const auto suites = known_suites();
  if (!suites) return print_error(suites.error());
  for (const auto& suite : *suites) {
    print_suite(suite);
    if (suite.problems.empty())
      for (const auto& why : suite.skipped) say(stdout, "  not usable: {}\n", why);
  }
  return k_exit_correct;
}

}  // namespace kbv
