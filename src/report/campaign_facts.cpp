// SPDX-License-Identifier: MIT
#include "report/campaign_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kbv {

void CampaignFacts::add(const Observation& observation) {
  const MachineFacts& machine = observation.machine;
  if (!machine.device.empty()) devices_.insert(machine.device);
  if (!machine.torch.empty())
    versions_.insert("PyTorch " + machine.torch + (machine.cuda.empty() ? "" : ", CUDA " + machine.cuda));
  if (!observation.kbv_version.empty()) kbv_.insert(observation.kbv_version);
  if (!observation.isolation_level.empty()) isolation_.insert(observation.isolation_level);
  precisions_.insert(observation.precision + (observation.size.empty() ? "" : ", size " + observation.size));
  if (observation.started_at.empty()) return;
  if (first_.empty() || observation.started_at < first_) first_ = observation.started_at;
  last_ = std::max(last_, observation.started_at);
}

std::vector<std::pair<std::string, std::string>> CampaignFacts::list() const {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [name, value] :
       {std::pair("Device", joined_words(devices_)), std::pair("With", joined_words(versions_)),
        std::pair("Precision", joined_words(precisions_)), std::pair("Isolation", joined_words(isolation_)),
        std::pair("kbv", joined_words(kbv_)), std::pair("Judged", first_ == last_ ? first_ : first_ + " to " + last_)})
    if (!value.empty()) facts.emplace_back(name, value);
  return facts;
}

std::string joined_words(const std::set<std::string>& names) {
  constexpr std::size_t k_shown = 4;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < k_shown) shown.push_back(name);
  if (names.size() > k_shown) shown.push_back(fmt::format("{} more", names.size() - k_shown));
  return fmt::format("{}", fmt::join(shown, "; "));
}

}  // namespace kbv
