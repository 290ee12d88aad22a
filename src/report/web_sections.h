// SPDX-License-Identifier: MIT
// The sections of the page's overview. Private to it.
#pragma once

#include "report/leaderboard_tables.h"
#include "report/web_input.h"
#include "report/web_text.h"

namespace kbv {

/// 0: "All levels".
std::string level_title(int level);
/// A share from 0 to 1 in %, without the sign; "-" for nothing.
std::string show_share(const std::optional<double>& share);

void leaderboard_section(Html& html, const WebInput& input);
void figures_section(Html& html, const WebInput& input);
/// What a speedup owes to its baseline, to easy inputs and to its tolerance.
void owed_section(Html& html, const WebInput& input);
void problems_section(Html& html, const WebInput& input);

/// A table as `kbv score` has it, with its remarks below.
void table_element(Html& html, const LeaderboardTable& table);

/// All that the script's tables are made of. web_page.js holds the same order of fields.
JsonText index_data(const WebInput& input);

}  // namespace kbv
