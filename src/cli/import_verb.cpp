// SPDX-License-Identifier: MIT
// What another harness found, into a campaign.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "store/campaign.h"
#include "store/kernelbench_files.h"

namespace kbv {
namespace {

auto key_of(const RecordedResult& r) { return std::tuple(r.run, r.level, r.number, r.sample, r.harness, r.tests); }
auto key_of(const RecordedBaseline& b) { return std::tuple(b.hardware, b.name, b.level, b.problem); }

/// How many of `taken` were there before, and how many of those said something else.
struct Replaced {
  std::size_t same = 0, changed = 0;
};

template <typename Row>
Replaced compare(const std::vector<Row>& before, const std::vector<Row>& taken) {
  std::map<decltype(key_of(before[0])), const std::string*> known;
  for (const Row& row : before) known[key_of(row)] = &row.json;
  Replaced replaced;
  for (const Row& row : taken)
    if (const auto found = known.find(key_of(row)); found != known.end())
      ++(*found->second == row.json ? replaced.same : replaced.changed);
  return replaced;
}

std::string told(const char* what, std::size_t count, const Replaced& replaced) {
  std::string text = fmt::format("{} {}", count, what);
  if (replaced.same > 0) text += fmt::format(", {} of them there already", replaced.same);
  if (replaced.changed > 0) text += fmt::format(", {} of them in place of others", replaced.changed);
  return text;
}

Result<void> import_all(const ImportOptions& options) {
  KBV_TRY_ASSIGN(const KernelBenchFiles files, read_kernelbench_files(options.paths, {options.run, options.level}));
  KBV_TRY_ASSIGN(const auto campaign, Campaign::open(options.campaign));
  KBV_TRY_ASSIGN(const auto results_before, campaign->recorded());
  KBV_TRY_ASSIGN(const auto baselines_before, campaign->recorded_baselines());
  const auto add_all = [&]() -> Result<void> {
    for (const RecordedResult& result : files.results) KBV_TRY(campaign->add_recorded(result));
    for (const RecordedBaseline& baseline : files.baselines) KBV_TRY(campaign->add_recorded_baseline(baseline));
    return {};
  };
  KBV_TRY(campaign->together(add_all));
  for (const std::string& line : files.taken) say(stdout, "{}\n", line);
  for (const std::string& line : files.notes) say(stdout, "note: {}\n", line);
  say(stdout, "{}: {}; {}\n", options.campaign,
      told("results", files.results.size(), compare(results_before, files.results)),
      told("baselines", files.baselines.size(), compare(baselines_before, files.baselines)));
  return {};
}

}  // namespace

int run_import(const ImportOptions& options) {
  if (const auto done = import_all(options); !done) return print_error(done.error());
  return k_exit_correct;
}

}  // namespace kbv
