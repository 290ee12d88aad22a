// SPDX-License-Identifier: MIT
#include "report/leaderboard_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "report/units.h"

namespace kbv {
namespace {

using Row = std::vector<std::string>;

std::string percent(const std::optional<double>& share) { return share ? fmt::format("{:.1f}", 100 * *share) : "-"; }
std::string factor(const std::optional<double>& value) { return value ? show_factor(*value) : "-"; }
std::string level_name(int level) { return level == 0 ? "all" : std::to_string(level); }

std::string range(const Figure& figure, bool share) {
  if (!figure.interval) return "-";
  const auto [low, high] = *figure.interval;
  return share ? fmt::format("{:.1f} to {:.1f}", 100 * low, 100 * high) : show_range(low, high);
}

/// Calls `visit` for each level, all of them first, and each run that has it; a board of one level has no "all".
void for_each_group(const Leaderboard& board, const std::function<void(const RunScore&, const GroupScore&)>& visit) {
  std::set<int> levels;
  for (const RunScore& run : board.runs)
    for (const GroupScore& group : run.levels) levels.insert(group.level);
  if (levels.size() > 1)
    for (const RunScore& run : board.runs) visit(run, run.all);
  for (const int level : levels)
    for (const RunScore& run : board.runs)
      for (const GroupScore& group : run.levels)
        if (group.level == level) visit(run, group);
}

LeaderboardTable begin(std::string title, Row headers, std::size_t left) {
  LeaderboardTable table;
  table.title = std::move(title);
  table.headers = std::move(headers);
  table.align.assign(table.headers.size(), Align::right);
  std::fill_n(table.align.begin(), left, Align::left);
  return table;
}

LeaderboardTable main_table(const Leaderboard& board) {
  auto table =
      begin("Leaderboard", {"level", "run", "problems", "correct %", "speedup", "fast@1 %", "memory", "leaner %"}, 2);
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    table.rows.push_back({level_name(group.level), run.run, std::to_string(group.problems),
                          percent(group.figure("correct").value), factor(group.figure("speedup").value),
                          percent(group.figure("fast_1").value), factor(group.figure("memory_efficiency").value),
                          percent(group.figure("memory_efficient").value)});
  });
  table.remarks = {
      "speedup and memory = geometric means over correctly solved problems, the fastest correct sample of each; shares "
      "are of all problems"};
  return table;
}

LeaderboardTable interval_table(const Leaderboard& board) {
  auto table = begin("95 % intervals, by bootstrap over problems",
                     {"level", "run", "correct %", "speedup", "fast@1 %", "memory", "leaner %"}, 2);
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    table.rows.push_back({level_name(group.level), run.run, range(group.figure("correct"), true),
                          range(group.figure("speedup"), false), range(group.figure("fast_1"), true),
                          range(group.figure("memory_efficiency"), false),
                          range(group.figure("memory_efficient"), true)});
  });
  return table;
}

LeaderboardTable fast_table(const Leaderboard& board) {
  auto table = begin("Problems faster than p, in % (fast_p), and other figures",
                     {"level", "run", "0", "0.5", "0.8", "1", "1.5", "2", "surely", "fallback"}, 2);
  std::vector<std::string> more;  // figures that some boards have
  if (!board.runs.empty())
    for (const NamedFigure& figure : board.runs.front().all.figures)
      if (figure.name.starts_with("pass_at_") || figure.name == "robust" || figure.name == "strict")
        more.push_back(figure.name);
  for (const std::string& name : more) {
    table.headers.push_back(name.starts_with("pass_at_") ? "pass@" + name.substr(8) : name);
    table.align.push_back(Align::right);
  }
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    Row row{level_name(group.level), run.run};
    for (const char* name : {"fast_0", "fast_0.5", "fast_0.8", "fast_1", "fast_1.5", "fast_2", "surely_faster"})
      row.push_back(percent(group.figure(name).value));
    row.push_back(factor(group.figure("fallback_speedup").value));
    for (const std::string& name : more) row.push_back(percent(group.figure(name).value));
    table.rows.push_back(std::move(row));
  });
  table.remarks = {
      "surely = its whole 95 % interval is above 1; fallback = KernelBench's: what is not faster counts as 1x"};
  return table;
}

LeaderboardTable verdict_table(const Leaderboard& board) {
  auto table = begin("Samples by verdict", {"level", "run", "samples", "verdicts"}, 2);
  table.align[3] = Align::left;
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    std::vector<std::pair<std::string, int>> codes(group.codes.begin(), group.codes.end());
    std::stable_sort(codes.begin(), codes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    for (const auto& [code, count] : codes) texts.push_back(fmt::format("{} {}", count, code));
    const std::string samples =
        group.fewest_samples == group.most_samples
            ? std::to_string(group.samples)
            : fmt::format("{} ({} to {} each)", group.samples, group.fewest_samples, group.most_samples);
    // A line of a terminal holds a few; the others go below.
    for (std::size_t i = 0; i == 0 || i < texts.size(); i += 2) {
      const auto end = texts.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, texts.size()));
      const std::string line = fmt::format("{}", fmt::join(texts.begin() + static_cast<std::ptrdiff_t>(i), end, ", "));
      table.rows.push_back(i == 0 ? Row{level_name(group.level), run.run, samples, line} : Row{"", "", "", line});
    }
  });
  return table;
}

LeaderboardTable gaps_table(const Leaderboard& board) {
  auto table =
      begin("Problems, and how they count",
            {"level", "run", "count", "solved", "no sample", "no speedup", "estimates", "no verdict", "excluded"}, 2);
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    int untimed = 0;
    std::vector<std::string> reasons;
    for (const auto& [reason, count] : group.without_speedup) {
      untimed += count;
      reasons.push_back(fmt::format("{} {}", count, reason));
    }
    table.rows.push_back(
        {level_name(group.level), run.run, std::to_string(group.problems), std::to_string(group.solved),
         std::to_string(group.without_sample), reasons.empty() ? "0" : fmt::format("{}", fmt::join(reasons, ", ")),
         std::to_string(group.estimates), std::to_string(group.without_verdict), std::to_string(group.excluded)});
  });
  table.remarks = {
      "no sample: counts as not solved. no speedup: solved, in no mean of speedups and not fast. estimates: of "
      "speedups that the measurement does "
      "not bear out, and that count. no verdict (not run, the machine's or the problem's fault) and excluded: in no "
      "denominator"};
  return table;
}

LeaderboardTable excluded_table(const Leaderboard& board) {
  auto table = begin("Excluded problems", {"level", "no.", "name", "why"}, 0);
  table.align = {Align::right, Align::right, Align::left, Align::left};
  for (const LeaderboardProblem& problem : board.problems)
    if (!problem.excluded.empty())
      table.rows.push_back(
          {std::to_string(problem.level), std::to_string(problem.number), problem.name, problem.excluded});
  return table;
}

/// For a remark: why `board` has correct samples and no speedup over `baseline`; empty: it has one, or none is correct.
std::string why_no_speedup_over(const Leaderboard& board, std::size_t baseline, const std::string& name) {
  bool correct = false;
  for (const RunScore& run : board.runs) {
    if (!run.all.decomposition) continue;
    const Decomposition::Cell& cell = run.all.decomposition->cells[baseline][0];
    if (cell.speedup.value) return {};
    correct |= cell.correct.value.value_or(0) > 0;
  }
  return correct ? fmt::format("no speedup over {}: of no correct sample it was timed", name) : std::string();
}

}  // namespace

LeaderboardTable distribution_table(const Leaderboard& board) {
  std::set<std::string> names;
  for_each_group(board, [&](const RunScore&, const GroupScore& group) {
    for (const DistributionFailures& one : group.distributions) names.insert(one.distribution);
  });
  Row headers{"level", "run"};
  headers.insert(headers.end(), names.begin(), names.end());
  auto table = begin("Samples that fail, by input distribution (% of those called)", headers, 2);
  if (names.empty()) return table;
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    Row row{level_name(group.level), run.run};
    for (const std::string& name : names) {
      const auto found = std::find_if(group.distributions.begin(), group.distributions.end(),
                                      [&](const auto& one) { return one.distribution == name; });
      row.push_back(
          found == group.distributions.end() || found->tried == 0
              ? "-"
              : fmt::format("{:.1f} ({}/{})", 100.0 * found->failed / found->tried, found->failed, found->tried));
    }
    table.rows.push_back(std::move(row));
  });
  return table;
}

LeaderboardTable tolerance_table(const Leaderboard& board) {
  auto table = begin("Other tolerances (atol = rtol): what is no longer correct no longer counts in the speedup",
                     {"level", "run", "tolerance", "correct %", "speedup", "solved, timed"}, 2);
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    for (const ToleranceRow& row : group.tolerances)
      table.rows.push_back({level_name(group.level), run.run, fmt::format("{:g}", row.tolerance),
                            percent(row.correct.value), factor(row.speedup.value),
                            std::to_string(row.speedup.problems)});
  });
  if (board.protocol == "attested") table.remarks = {"by the rules of verified: attested judges by no tolerance"};
  return table;
}

LeaderboardTable decomposition_table(const Leaderboard& board) {
  const std::string &fp32 = board.fp32_baseline, &tf32 = board.tf32_baseline;
  auto table = begin(
      "What a speedup owes to its baseline and to easy inputs",
      {"level", "run", fp32 + " D1", tf32 + " D1", fp32 + " D1-4", tf32 + " D1-4", "right D1", "D1-4 %"}, 2);
  bool host = false;
  for_each_group(board, [&](const RunScore& run, const GroupScore& group) {
    if (!group.decomposition) return;
    const auto& cells = group.decomposition->cells;
    host |= group.decomposition->host;
    table.rows.push_back({level_name(group.level), run.run, factor(cells[0][0].speedup.value),
                          factor(cells[1][0].speedup.value), factor(cells[0][1].speedup.value),
                          factor(cells[1][1].speedup.value), percent(cells[0][0].correct.value),
                          percent(cells[0][1].correct.value)});
  });
  table.remarks = {board.protocol == "recorded"
                       ? "D1 = standard results, D1-D4 = hidden ones as well"
                       : "by the rules of verified; D1 = inputs as given only, D1-D4 = its hidden inputs as well"};
  if (host)
    table.remarks.push_back(
        "a CPU has no TF32: there both baselines are eager, and their cells are equal by construction");
  for (const std::string& why : {why_no_speedup_over(board, 0, fp32), why_no_speedup_over(board, 1, tf32)})
    if (!why.empty()) table.remarks.push_back(why);
  return table;
}

LeaderboardTable affected_table(const Leaderboard& board) {
  auto table = begin("Problems affected, by any run", {"level", "TF32 only", "hidden only", "both", "neither"}, 1);
  for (const AffectedProblems& one : board.affected)
    if (one.level != 0 || board.affected.size() != 2)
      table.rows.push_back({level_name(one.level), std::to_string(one.tf32_only), std::to_string(one.hidden_only),
                            std::to_string(one.both), std::to_string(one.neither)});
  table.remarks = {
      fmt::format("by TF32: a correct sample loses at least half of its speedup over {} when {} is the baseline; by "
                  "hidden tests: a sample is "
                  "right under D1 and wrong under another",
                  board.fp32_baseline, board.tf32_baseline)};
  return table;
}

std::string leaderboard_rules(const Leaderboard& board) {
  std::string rules = fmt::format("protocol {}", board.protocol);
  if (board.tolerance) rules += fmt::format(", tolerance {:g}", *board.tolerance);
  rules += board.baseline.empty() ? "; no baseline" : fmt::format("; speedup over {}", board.baseline);
  return rules + fmt::format(": {}", board.statistic);
}

std::vector<LeaderboardTable> leaderboard_tables(const Leaderboard& board) {
  std::vector<LeaderboardTable> tables;
  for (const auto& make : {main_table, interval_table, fast_table, gaps_table, verdict_table, excluded_table,
                           distribution_table, tolerance_table, decomposition_table, affected_table})
    if (LeaderboardTable table = make(board); !table.rows.empty()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace kbv
