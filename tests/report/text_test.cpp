// SPDX-License-Identifier: MIT
#include "report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/report.h"

namespace kbv {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;

TEST(Printable, OrdinaryTextStays) {
  for (const std::string text : {"plain ~!", "h\u00e9llo \u4e2d\u6587 \U0001F600", "back\\slash", "\u00a0", "\u200b"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("\x1b[31m\x07\b\x7f"), "\\x1b[31m\\x07\\x08\\x7f");
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("a\tb\r\n"), "a\\tb\\r\\n");
  EXPECT_EQ(printable("a\r\nb\n", true), "a\\r\nb\n");
  EXPECT_EQ(printable("\u0080\u009b\u009f"), "\\u0080\\u009b\\u009f");
}

TEST(Printable, EveryControlCharacterIs) {
  for (int c = 0; c < 0x20; ++c) EXPECT_EQ(printable(std::string(1, static_cast<char>(c))).front(), '\\') << c;
}

TEST(Printable, DirectionOverridesAreEscaped) {
  EXPECT_EQ(printable("\u202a\u202b\u202c\u202d\u202e"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(printable("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(printable("\u200e\u200f\u061c\u2028\u2029"), "\\u200e\\u200f\\u061c\\u2028\\u2029");
}

TEST(Printable, InvalidUtf8IsShownByteByByte) {
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc3("), "\\xc3(");                      // a lead byte alone
  EXPECT_EQ(printable("\xe4\xb8"), "\\xe4\\xb8");               // cut off
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");               // overlong ESC
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");      // overlong, three bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");      // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(printable("\x9b\x31m"), "\\x9b1m");                 // a raw C1 byte
}

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
