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

/// One sentence on the rules.
std::string leaderboard_rules(const Leaderboard& board);
/// Those that have a row.
std::vector<LeaderboardTable> leaderboard_tables(const Leaderboard& board);

}  // namespace kbv
