// SPDX-License-Identifier: MIT
#include "look/labels.h"

#include <algorithm>
#include <utility>

#include "look/rules.h"

namespace kbv {
namespace {

constexpr std::int64_t k_max_line = 100'000'000;
constexpr std::size_t k_max_seen = 20'000;  // beyond, the same thing may be counted twice

}  // namespace

void LabelCollector::add(std::string_view rule, std::int64_t line, std::int64_t column, std::string_view detail) {
  if (!find_look_rule(rule)) {
    ++unknown_;
    return;
  }
  SourceLabel label;
  label.rule = rule;
  label.line = static_cast<int>(std::clamp<std::int64_t>(line, 1, k_max_line));
  label.column = static_cast<int>(std::clamp<std::int64_t>(column, 0, k_max_line));
  label.detail = detail.substr(0, k_max_label_detail);
  if (seen_.size() < k_max_seen && !seen_.emplace(label.rule, label.line, label.detail).second) return;
  std::size_t& count = of_rule_[label.rule];
  if (count >= k_max_labels_of_rule || kept_.size() >= k_max_labels) {
    ++left_out_[label.rule];
    return;
  }
  ++count;
  kept_.push_back(std::move(label));
}

void LabelCollector::leave_out(std::string_view rule, std::uint64_t count) {
  constexpr std::uint64_t k_most = 1'000'000'000;
  if (!find_look_rule(rule)) {
    ++unknown_;
  } else if (count > 0) {
    std::uint64_t& all = left_out_[std::string(rule)];
    all = std::min(all + std::min(count, k_most), k_most);
  }
}

void LabelCollector::finish(SourceLabels& labels) {
  std::stable_sort(kept_.begin(), kept_.end(), [](const SourceLabel& a, const SourceLabel& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  labels.labels = std::move(kept_);
  labels.left_out = std::move(left_out_);
}

}  // namespace kbv
