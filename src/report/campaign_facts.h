// SPDX-License-Identifier: MIT
// The circumstances that a campaign's observations have in common. Private to the page of campaigns.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "judge/observation.h"

namespace kbv {

class CampaignFacts {
 public:
  void add(const Observation& observation);
  /// What, where, when: only what is known.
  std::vector<std::pair<std::string, std::string>> list() const;

 private:
  std::set<std::string> devices_, versions_, kbv_, isolation_, precisions_;
  std::string first_, last_;  ///< when
};

/// The first of them, and how many more there are.
std::string joined_words(const std::set<std::string>& names);

}  // namespace kbv
