// SPDX-License-Identifier: MIT
#include "report/web_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "made.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;

std::string html_of(std::string_view text) { return Html().text(text).take(); }
std::string json_of(std::string_view text) { return JsonText().text(text).json(); }

/// What a browser makes of escaped text.
std::string unescaped(std::string html) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    for (std::size_t at = 0; (at = html.find(entity, at)) != std::string::npos; at += 1)
      html.replace(at, std::string_view(entity).size(), character);
  return html;
}

TEST(WebText, HostileTextStaysTextInHtml) {
  for (const std::string& text : test::hostile_texts()) {
    const std::string html = html_of(text);
    EXPECT_EQ(html.find_first_of("<>\"'"), std::string::npos) << html;
    EXPECT_EQ(unescaped(html), visible(text));
  }
}

TEST(WebText, HostileTextStaysTextInAttributes) {
  for (const std::string& text : test::hostile_texts()) {
    const std::string html = Html().open("td", {{"title", text}, {"data-v", text}}).take();
    EXPECT_EQ(std::count(html.begin(), html.end(), '"'), 4) << html;
    EXPECT_EQ(std::count(html.begin(), html.end(), '<'), 1) << html;
    EXPECT_EQ(std::count(html.begin(), html.end(), '>'), 1) << html;
  }
}

TEST(WebText, HostileTextStaysTextInJson) {
  for (const std::string& text : test::hostile_texts()) {
    const std::string json = json_of(text);
    EXPECT_EQ(json.find_first_of("<>&\n\r"), std::string::npos) << json;
    EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), visible(text));
  }
}

TEST(WebText, WhatChangesHowOthersLookIsShown) {
  EXPECT_EQ(visible("\u202Etxt\u202C"), "\\u202etxt\\u202c");
  EXPECT_EQ(visible("a\u200Bb\u200Dc\uFEFF\u00AD"), "a\\u200bb\\u200dc\\ufeff\\u00ad");
  EXPECT_EQ(visible("\u2066x\u2069\u2028\u2029\u061C"), "\\u2066x\\u2069\\u2028\\u2029\\u061c");
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\x1b[2J\x7f\r"), "\\x1b[2J\\x7f\\r");
  EXPECT_EQ(visible("\xff\xc3("), "\\xff\\xc3(");
  EXPECT_EQ(visible("\U000E0041"), "\\ue0041");
  EXPECT_EQ(visible("line\n\tindented \u4e2d\u6587 e\u0301"), "line\n\tindented \u4e2d\u6587 e\u0301");
}

TEST(WebText, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(visible("\u4e2d\u6587", 5), "\u4e2d");
  EXPECT_EQ(visible("\u4e2d\u6587", 6), "\u4e2d\u6587");
  EXPECT_EQ(visible("abc", 0), "");
  const std::string name(1u << 20, '<');
  EXPECT_EQ(
      JsonText().text(name, 10).json(), "\"" + [] {
        std::string ten;
        for (int i = 0; i < 10; ++i) ten += "\\u003c";
        return ten;
      }() + "\"");
  EXPECT_EQ(html_of(name).size(), 4u << 20);
}

TEST(WebText, JsonIsWellFormed) {
  JsonText json;
  json.begin_object()
      .key("a")
      .begin_array()
      .whole(-1)
      .number(0.5)
      .number(std::numeric_limits<double>::infinity())
      .number(std::optional<double>())
      .boolean(true);
  json.begin_array().end_array().end_array().key("b").null().key("c").text("").end_object();
  EXPECT_EQ(nlohmann::json::parse(json.json()),
            nlohmann::json::parse(R"({"a":[-1,0.5,null,null,true,[]],"b":null,"c":""})"));
  EXPECT_EQ(JsonText().number(std::nan("")).json(), "null");
  EXPECT_EQ(JsonText().number(123456.0).json(), "1.235e+05");
}

TEST(WebText, LinksGoToCandidatesOnly) {
  EXPECT_EQ(Html().candidate_link(12, "javascript:alert(1)", "\"><script>").take(),
            "<a href=\"#c12\" title=\"&quot;&gt;&lt;script&gt;\">javascript:alert(1)</a>");
}

TEST(WebText, PolicyNamesTheHash) {
  // Of the empty text: known from any implementation.
  EXPECT_EQ(policy_hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(policy_hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_THAT(content_security_policy("abc", ""),
              HasSubstr("default-src 'none'; style-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='; "
                        "script-src 'sha256-47D"));
}

// Markup and attributes that are not literals, or that a browser runs or follows, must not compile.
template <typename Text>
concept IsMarkup = requires(Text text) { Markup(text); };
static_assert(!IsMarkup<std::string>);
static_assert(!IsMarkup<std::string_view>);
static_assert(!IsMarkup<const char*>);

}  // namespace
}  // namespace kbv
