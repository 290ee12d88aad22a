// SPDX-License-Identifier: MIT
#include "report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbv {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("h\u00e9"), 2u);
  EXPECT_EQ(display_width("\u4e2d\u6587"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("\U0001F600"), 2u);
}

TEST(Cut, KeepsTheWidth) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdefg", 6), "abc...");
  EXPECT_EQ(cut("\u4e2d\u6587\u4e2d\u6587", 6), "\u4e2d...");
  EXPECT_EQ(cut("abc", 2), "..");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(Pad, AlignsByColumns) {
  EXPECT_EQ(pad("\u4e2d", 4), "\u4e2d  ");
  EXPECT_EQ(pad("12", 4, Align::right), "  12");
  EXPECT_EQ(pad("12345", 4), "12345");
}

TEST(Wrap, BreaksAtSpacesAndInsideLongWords) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("abcdefgh ij", 3), ElementsAre("abc", "def", "gh", "ij"));
  EXPECT_THAT(wrap("    abcdefgh", 6), ElementsAre("    ab", "cdefgh"));
  EXPECT_THAT(wrap("\u4e2d\u6587", 1), ElementsAre("\u4e2d", "\u6587"));  // ends, though nothing fits
  EXPECT_THAT(wrap("", 10), IsEmpty());
}

TEST(SplitLines, Splits) {
  EXPECT_THAT(split_lines("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_lines("\n"), ElementsAre(""));
  EXPECT_THAT(split_lines(""), IsEmpty());
}

}  // namespace
}  // namespace kbv
