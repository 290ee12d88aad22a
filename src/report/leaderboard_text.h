// SPDX-License-Identifier: MIT
// A leaderboard as text. Names of runs and problems are hostile: each format escapes them in its own way.
// docs/scoring.md has the columns.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"
#include "score/leaderboard.h"

namespace kbv {

/// For the terminal.
std::string leaderboard_table(const Leaderboard& board, const ReportStyle& style);

/// The same tables in GitHub's Markdown.
std::string leaderboard_markdown(const Leaderboard& board);

/// RFC 4180, one figure a line, with the header `run,level,metric,value,low,high,problems`. Level 0 is all levels;
/// shares are from 0 to 1; empty: nothing known. A text that a spreadsheet would take for a formula begins with an
/// apostrophe.
std::string leaderboard_csv(const Leaderboard& board);

/// Everything, as JSON of schema kbv-score/1.
std::string leaderboard_json(const Leaderboard& board);

/// One cell of a Markdown table.
std::string markdown_text(std::string_view text);
/// One field of a CSV file.
std::string csv_text(std::string_view text);

}  // namespace kbv
