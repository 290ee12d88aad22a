// SPDX-License-Identifier: MIT
#include "store/python_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kbv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PythonJson parsed(std::string_view text) {
  auto json = parse_python_json(text, "f");
  EXPECT_TRUE(json) << text << ": " << (json ? "" : json.error().message);
  return json ? std::move(*json) : PythonJson();
}

std::string complaint(std::string_view text) {
  const auto json = parse_python_json(text, "file.json");
  if (json) return "no complaint";
  EXPECT_EQ(json.error().fault, Fault::usage);
  EXPECT_EQ(json.error().code, "bad_json");
  return json.error().message;
}

TEST(PythonJson, KeepsTheTextOfEachValue) {
  const std::string text = " {\"a\" : [1.50, -2e3 ,null],\n\"b\": {\"x\":true} } ";
  const PythonJson json = parsed(text);
  EXPECT_THAT(json.keys, ElementsAre("a", "b"));
  EXPECT_EQ(json.find("a")->text, "[1.50, -2e3 ,null]");
  EXPECT_EQ(json.find("a")->items[0].text, "1.50");
  EXPECT_EQ(json.find("a")->items[1].number, -2000);
  EXPECT_EQ(json.find("b")->text, "{\"x\":true}");
  EXPECT_TRUE(json.find("b")->find("x")->truth);
  EXPECT_EQ(json.find("c"), nullptr);
}

TEST(PythonJson, ReadsWhatPythonWritesAndJsonHasNot) {
  const PythonJson json = parsed("[NaN, Infinity, -Infinity, 1e999, -1e999, 1e-999, 0.5]");
  EXPECT_TRUE(std::isnan(json.items[0].number));
  EXPECT_EQ(json.items[1].number, INFINITY);
  EXPECT_EQ(json.items[2].number, -INFINITY);
  EXPECT_EQ(json.items[3].number, INFINITY);
  EXPECT_EQ(json.items[4].number, -INFINITY);
  EXPECT_EQ(json.items[5].number, 0);
  EXPECT_EQ(json.items[6].number, 0.5);
  EXPECT_EQ(parsed(std::string(400, '9')).number, INFINITY);
  EXPECT_EQ(parsed("0." + std::string(400, '0') + "1").number, 0);
}

TEST(PythonJson, DecodesStrings) {
  EXPECT_EQ(parsed(R"("a\"\\\/\b\f\n\r\t")").string, "a\"\\/\b\f\n\r\t");
  EXPECT_EQ(parsed(R"("\u0041\u00e9\u20ac\ud83d\ude00")").string, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(parsed(R"("\udcff\ud800x\ud800\u0041")").string,
            "\xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbd"
            "A")
      << "surrogateescape";
  EXPECT_EQ(parsed("\"\xc3\xa9\xf4\x8f\xbf\xbf\"").string, "\xc3\xa9\xf4\x8f\xbf\xbf");
}

TEST(PythonJson, TakesTheLastOfAKeyAndTellsOfIt) {
  const PythonJson json = parsed("{\"a\": 1, \"b\": 2, \"a\": 3}");
  EXPECT_EQ(json.find("a")->number, 3);
  EXPECT_EQ(json.repeated_key(), "a");
  EXPECT_EQ(parsed("{\"a\": 1, \"A\": 2}").repeated_key(), std::nullopt);
  EXPECT_EQ(parsed("{\"\": 1, \"\": 2}").repeated_key(), "");
}

TEST(PythonJson, RefusesWhatIsNone) {
  const char* texts[] = {"",
                         " ",
                         "{",
                         "[1,]",
                         "{\"a\"}",
                         "{\"a\":}",
                         "{a: 1}",
                         "[1 2]",
                         "01",
                         "1.",
                         ".5",
                         "1e",
                         "+1",
                         "-",
                         "nan",
                         "True",
                         "[1}",
                         "\"",
                         "\"\\",
                         "\"\\x\"",
                         "\"\\u12",
                         "\"\\u12g4\"",
                         "{} {}",
                         "\"\n\"",
                         "\"\xff\"",
                         "\"\xc0\x80\"",
                         "\"\xed\xa0\x80\"",
                         "\"\xf5\x80\x80\x80\"",
                         "\"\xe2\x82",
                         "\xef\xbb\xbf{}",
                         "NaNs",
                         "-Inf"};
  for (const char* text : texts) EXPECT_THAT(complaint(text), HasSubstr("file.json: not JSON at byte ")) << text;
  EXPECT_EQ(complaint("{\"a\": [1, ?]}"), "file.json: not JSON at byte 10: expected a value");
}

TEST(PythonJson, BoundsDepthSizeAndDigits) {
  EXPECT_THAT(complaint(std::string(1'000'000, '[')), HasSubstr("nested deeper than 64"));
  const int deep = k_python_json_depth;
  EXPECT_EQ(complaint(std::string(deep, '[') + "0" + std::string(deep, ']')), "no complaint");
  EXPECT_THAT(complaint(std::string(deep + 1, '[') + "0" + std::string(deep + 1, ']')), HasSubstr("nested deeper"));
  std::string wide = "[0";
  for (std::size_t i = 0; i < k_python_json_values; ++i) wide += ",0";
  EXPECT_THAT(complaint(wide + "]"), HasSubstr("more than 1000000 values"));
  EXPECT_THAT(complaint(std::string(5000, '1')), HasSubstr("a number of more than 1000 characters"));
  EXPECT_THAT(complaint(std::string(k_python_json_bytes + 1, ' ')), HasSubstr("larger than"));
}

}  // namespace
}  // namespace kbv
