// SPDX-License-Identifier: MIT
// Campaigns as a web page.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kbv {

struct CampaignPageOptions {
  std::string title = "kbv leaderboard";
  /// Called after each candidate: how many are done, of how many. May be empty.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

struct CampaignPage {
  std::uint64_t bytes = 0;  ///< of the page
  std::size_t runs = 0, candidates = 0, judged = 0;
};

/// Writes one page about all that is in `campaigns` (files), under each of the built-in protocols, and under what other
/// harnesses recorded where there is such; one observation is in memory at a time. Campaigns are joined as
/// read_leaderboard() does.
Result<CampaignPage> write_campaign_page(const std::vector<std::string>& campaigns, const std::string& path,
                                         const CampaignPageOptions& options = {});

}  // namespace kbv
