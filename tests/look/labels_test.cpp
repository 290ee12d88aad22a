// SPDX-License-Identifier: MIT
#include "look/labels.h"

#include <gtest/gtest.h>

#include "look/rules.h"

namespace kbv {
namespace {

TEST(LabelCollector, SortsByLineAndKeepsTheSameThingOnce) {
  LabelCollector collector;
  collector.add("files", 9, 1, "open");
  collector.add("clock", 2, 5, "time.time");
  collector.add("files", 9, 7, "open");
  SourceLabels labels;
  collector.finish(labels);
  ASSERT_EQ(labels.labels.size(), 2u);
  EXPECT_EQ(labels.labels[0].rule, "clock");
  EXPECT_EQ(labels.labels[1].line, 9);
  EXPECT_TRUE(labels.left_out.empty());
}

TEST(LabelCollector, KeepsFewOfARuleAndCountsTheRest) {
  LabelCollector collector;
  for (int line = 1; line <= 50; ++line) collector.add("files", line, 1, "open");
  collector.leave_out("files", 7);
  SourceLabels labels;
  collector.finish(labels);
  EXPECT_EQ(labels.labels.size(), k_max_labels_of_rule);
  EXPECT_EQ(labels.left_out.at("files"), 50 - k_max_labels_of_rule + 7);
}

TEST(LabelCollector, KeepsNoMoreThanTheBoundOfAllTogether) {
  LabelCollector collector;
  std::size_t added = 0;
  for (const LookRule& rule : look_rules())
    for (int line = 1; line <= 10; ++line, ++added) collector.add(rule.id, line, 1, "x");
  SourceLabels labels;
  collector.finish(labels);
  EXPECT_EQ(labels.labels.size(), k_max_labels);
  std::uint64_t left_out = 0;
  for (const auto& [rule, count] : labels.left_out) left_out += count;
  EXPECT_EQ(left_out, added - k_max_labels);
}

TEST(LabelCollector, DropsAndCountsWhatHasNoRule) {
  LabelCollector collector;
  collector.add("made_up", 1, 1, "x");
  collector.leave_out("made_up_too", 3);
  EXPECT_EQ(collector.unknown_rules(), 2u);
  SourceLabels labels;
  collector.finish(labels);
  EXPECT_TRUE(labels.labels.empty());
  EXPECT_TRUE(labels.left_out.empty());
}

TEST(LabelCollector, BoundsTextsAndNumbers) {
  LabelCollector collector;
  collector.add("files", -5, -5, std::string(100'000, 'x'));
  collector.add("files", std::int64_t{1} << 60, std::int64_t{1} << 60, "y");
  SourceLabels labels;
  collector.finish(labels);
  EXPECT_EQ(labels.labels[0].line, 1);
  EXPECT_EQ(labels.labels[0].column, 0);
  EXPECT_EQ(labels.labels[0].detail.size(), k_max_label_detail);
  EXPECT_GT(labels.labels[1].line, 1);
}

}  // namespace
}  // namespace kbv
