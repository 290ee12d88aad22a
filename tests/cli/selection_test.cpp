// SPDX-License-Identifier: MIT
#include "cli/selection.h"

#include <gtest/gtest.h>

namespace kbv {
namespace {

TEST(Selection, NumbersAndRanges) {
  const auto ranges = parse_ranges("0,2-4,9", "--samples");
  ASSERT_TRUE(ranges);
  for (const int number : {0, 2, 3, 4, 9}) EXPECT_TRUE(contains(*ranges, number)) << number;
  for (const int number : {1, 5, 8, 10}) EXPECT_FALSE(contains(*ranges, number)) << number;
  EXPECT_TRUE(contains(*parse_ranges("", "--samples"), 77)) << "nothing given: everything";
}

TEST(Selection, LevelsAndProblems) {
  const auto problems = ProblemSelection::parse("1,2/7,3/5-6");
  ASSERT_TRUE(problems);
  EXPECT_TRUE(problems->contains(1, 99));
  EXPECT_TRUE(problems->contains(2, 7));
  EXPECT_FALSE(problems->contains(2, 8));
  EXPECT_TRUE(problems->contains(3, 6));
  EXPECT_FALSE(problems->contains(3, 7));
  EXPECT_FALSE(problems->contains(4, 1));
  EXPECT_TRUE(ProblemSelection::parse("")->contains(4, 1));
}

TEST(Selection, WhatIsNoneIsAUsageErrorThatNamesTheOption) {
  for (const char* text : {",", "1,", "x", "-1", "3-", "4-2", "1 ", "99999999999", "1--2", "0x1"}) {
    const auto ranges = parse_ranges(text, "--samples");
    ASSERT_FALSE(ranges) << text;
    EXPECT_EQ(ranges.error().fault, Fault::usage);
    EXPECT_EQ(ranges.error().message.rfind("--samples: ", 0), 0u) << ranges.error().message;
  }
  for (const char* text : {",", "/", "1/", "/1", "1/2/3", "a/1", "1/5-4"})
    EXPECT_FALSE(ProblemSelection::parse(text)) << text;
}

}  // namespace
}  // namespace kbv
