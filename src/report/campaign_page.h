// SPDX-License-Identifier: MIT
// Campaigns as a web page.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/campaign.h"

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

/// Writes one page about all that is in `campaigns`, under each of the built-in protocols; one observation is in memory at a time. A run
/// whose name several campaigns have is told apart by the campaign's file name. Problems of the same level and number that differ in
/// their bytes are different problems.
Result<CampaignPage> write_campaign_page(const std::vector<std::unique_ptr<Campaign>>& campaigns, const std::string& path,
                                         const CampaignPageOptions& options = {});

}  // namespace kbv
