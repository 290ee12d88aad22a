// SPDX-License-Identifier: MIT
// Stored observations in, the paper's metrics out. Nothing is evaluated.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "report/leaderboard_text.h"
#include "store/leaderboard_input.h"

namespace kbv {

int run_score(const ScoreOptions& options) {
  LeaderboardRequest request;
  request.protocol = options.protocol;
  request.tolerance = options.tolerance;
  request.baseline = options.baseline;
  request.fp32_baseline = options.fp32_baseline;
  const auto input = read_leaderboard(options.campaigns, request);
  if (!input) return print_error(input.error());
  const Leaderboard board = make_leaderboard(*input, options.attempts);
  ReportStyle style;
  style.colour = ::isatty(STDOUT_FILENO) == 1;
  say_page(stdout, options.format == "md"     ? leaderboard_markdown(board)
                   : options.format == "csv"  ? leaderboard_csv(board)
                   : options.format == "json" ? leaderboard_json(board)
                                              : leaderboard_table(board, style));
  if (std::fflush(stdout) != 0) return print_error({Fault::machine, "write", "standard output can't be written", {}});
  return k_exit_correct;
}

}  // namespace kbv
