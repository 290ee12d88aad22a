// SPDX-License-Identifier: MIT
#include "base/printable.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "../hostile.h"

namespace kbv {
namespace {

using namespace std::string_literals;

TEST(Printable, OrdinaryTextStays) {
  for (const std::string text : {"plain ~!", "h\u00e9llo \u4e2d\u6587 \U0001F600", "back\\slash", "\u00a0"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("\x1b[31m\x07\b\x7f"), "\\x1b[31m\\x07\\x08\\x7f");
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("a\tb\r\n"), "a\\tb\\r\\n");
  EXPECT_EQ(printable("a\r\nb\n", true), "a\\r\nb\n");
  EXPECT_EQ(printable("\u0080\u009b\u009f"), "\\u0080\\u009b\\u009f");
}

TEST(Printable, WhatHasNoWidthIsEscaped) {
  EXPECT_EQ(printable("mo\u200bdel \ufeff\u00ad\u3164\u2060"), "mo\\u200bdel \\ufeff\\u00ad\\u3164\\u2060");
  EXPECT_EQ(printable("\U000E0041"), "\\ue0041");
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
  EXPECT_EQ(printable("\xc3("), "\\xc3(");                           // a lead byte alone
  EXPECT_EQ(printable("\xe4\xb8"), "\\xe4\\xb8");                    // cut off
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");                    // overlong ESC
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");           // overlong, three bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(printable("\x9b\x31m"), "\\x9b1m");                      // a raw C1 byte
}

TEST(Printable, HostileTextIsOneLineThatNothingObeys) {
  for (const std::string& text : test::hostile_texts()) {
    const std::string shown = printable(text);
    for (const char c : shown) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << shown;
    for (const char* mark : {"\u009b", "\u0085", "\u202e", "\u2066", "\u2028", "\u200b", "\ufeff", "\u3164"})
      EXPECT_EQ(shown.find(mark), std::string::npos) << shown;
    EXPECT_EQ(printable(shown), shown) << "said twice, it is the same";
  }
}

TEST(FileName, StaysInItsFolder) {
  EXPECT_EQ(file_name_of("run a_level1"), "run a_level1");
  EXPECT_EQ(file_name_of("Qwen/Qwen3"), "Qwen_Qwen3");
  EXPECT_EQ(file_name_of("../../x"), "_.._.._x");
  EXPECT_EQ(file_name_of(".."), "_.._");
  EXPECT_EQ(file_name_of(""), "_");
  EXPECT_EQ(file_name_of("a\0b\n"s), "a_b_");
  EXPECT_EQ(file_name_of("C:\\x.py"), "C__x.py");
  EXPECT_EQ(file_name_of("-rf"), "_-rf");
  EXPECT_EQ(file_name_of("name. "), "name. _");
  EXPECT_EQ(file_name_of("\u4e2d \u202e \xff"), "\u4e2d _ _");
  EXPECT_EQ(file_name_of(std::string(1000, 'x')), std::string(200, 'x'));
  EXPECT_EQ(file_name_of(std::string(199, 'x') + "\u4e2d"), std::string(199, 'x')) << "no half character";
}

TEST(FileName, HostileTextMakesAFileInTheFolderAndNoOther) {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "kbv-names-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  fs::create_directories(folder / "in");
  std::set<std::string> names;
  for (const std::string& text : test::hostile_texts()) {
    const fs::path at = folder / "in" / file_name_of(text);
    EXPECT_EQ(at.parent_path(), folder / "in") << at;
    EXPECT_TRUE(fs::exists(at) || fs::create_directory(at)) << at;
    names.insert(at.filename().string());
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "nothing beside it";
  EXPECT_EQ(static_cast<std::size_t>(std::distance(fs::directory_iterator(folder / "in"), {})), names.size());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace kbv
