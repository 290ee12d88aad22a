// SPDX-License-Identifier: MIT
// What a leaderboard shows, before a format is chosen. Texts are as they came.
#pragma once

#include <string>
#include <vector>

#include "report/text.h"
#include "score/leaderboard.h"

namespace kbv {

struct LeaderboardTable {
  std::string title;
  std::vector<std::string> headers;
  std::vector<Align> align;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> remarks;  ///< below it
};

/// Single ones, that other pages than a list of all have as well. Without rows where nothing is known.
LeaderboardTable distribution_table(const Leaderboard& board);
LeaderboardTable tolerance_table(const Leaderboard& board);
LeaderboardTable decomposition_table(const Leaderboard& board);
LeaderboardTable affected_table(const Leaderboard& board);

/// One sentence on the rules.
std::string leaderboard_rules(const Leaderboard& board);
/// Those that have a row.
std::vector<LeaderboardTable> leaderboard_tables(const Leaderboard& board);

}  // namespace kbv
