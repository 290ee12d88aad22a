// SPDX-License-Identifier: MIT
#include "look/helper_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbv {
namespace {

const std::string k_good =
    R"({"state": "looked at", "why": "", "labels": [["files", 3, 1, "open"], ["made_up", 1, 1, "x"]],
        "left_out": {"files": 2}, "texts": [{"text": "\n__nanosleep(1);", "places": [[0, 10, 5]]}]})";

TEST(HelperAnswer, LabelsOfPythonAndOfTextsComeTogether) {
  const auto answer = read_helper_answer(k_good);
  ASSERT_TRUE(answer) << answer.error().message;
  const SourceLabels labels = conclude_look(*answer);
  ASSERT_EQ(labels.labels.size(), 2u);
  EXPECT_EQ(labels.labels[0].detail, "open");
  EXPECT_EQ(labels.labels[1].rule, "device_clock");
  EXPECT_EQ(labels.labels[1].line, 11);
  EXPECT_EQ(labels.left_out.at("files"), 2u);
  EXPECT_EQ(labels.state, "looked at in part");
  EXPECT_EQ(labels.why, "1 labels had no rule");
}

TEST(HelperAnswer, WhatCouldNotBeLookedAtSaysWhy) {
  const auto answer = read_helper_answer(R"({"state": "not looked at", "why": "it is not Python"})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(conclude_look(*answer).state, "not looked at");
  EXPECT_EQ(conclude_look(*answer).why, "it is not Python");
}

TEST(HelperAnswer, AnythingElseIsRefused) {
  for (
      const char* text :
      {"", "[]", "{}", "null", "{\"state\": 1, \"why\": \"\"}", "{\"state\": \"fine\", \"why\": \"\"}",
       R"({"state": "looked at", "why": ""})",
       R"({"state": "looked at", "why": "", "labels": [["files", 3, 1]], "left_out": {}, "texts": []})",
       R"({"state": "looked at", "why": "", "labels": [[1, 3, 1, "x"]], "left_out": {}, "texts": []})",
       R"({"state": "looked at", "why": "", "labels": {}, "left_out": {}, "texts": []})",
       R"({"state": "looked at", "why": "", "labels": [], "left_out": {}, "texts": [{"text": 1, "places": []}]})",
       R"({"state": "looked at", "why": "", "labels": [], "left_out": {}, "texts": [{"text": "a", "places": [[5, 1, 1]]}]})",
       R"({"state": "looked at", "why": "", "labels": [], "left_out": {}, "texts": [{"text": "abc", "places": [[2, 1, 1], [1, 1, 1]]}]})",
       R"({"state": "looked at", "why": "", "labels": [], "left_out": {}, "texts": [{"text": "abc", "places": [[-1, 1, 1]]}]})"}) {
    const auto answer = read_helper_answer(text);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, "bad_look") << text;
  }
}

TEST(HelperAnswer, DeepLongAndWideAnswersAreRefused) {
  EXPECT_FALSE(read_helper_answer(std::string(100'000, '[')));
  EXPECT_FALSE(read_helper_answer(std::string(k_max_answer_bytes + 1, ' ')));
  std::string labels;
  for (std::size_t i = 0; i <= k_max_answer_labels; ++i) labels += std::string(i ? "," : "") + R"(["files",1,1,"x"])";
  EXPECT_FALSE(read_helper_answer(R"({"state": "looked at", "why": "", "labels": [)" + labels +
                                  R"(], "left_out": {}, "texts": []})"));
  const std::string text = R"({"text": ")" + std::string(k_max_answer_text_bytes, 'x') + R"(", "places": []})";
  EXPECT_FALSE(read_helper_answer(R"({"state": "looked at", "why": "", "labels": [], "left_out": {}, "texts": [)" +
                                  text + "," + text + "]}"));
}

TEST(HelperAnswer, NumbersOutOfRangeAreBrought) {
  const auto answer = read_helper_answer(
      R"({"state": "looked at", "why": "", "labels": [["files", 1e300, -3, "x"], ["files", 18446744073709551615, 1, "y"]], "left_out": {"files": -4}, "texts": []})");
  ASSERT_TRUE(answer) << answer.error().message;
  const SourceLabels labels = conclude_look(*answer);
  ASSERT_EQ(labels.labels.size(), 2u);
  EXPECT_GE(labels.labels[0].line, 1);
  EXPECT_TRUE(labels.left_out.empty());
}

}  // namespace
}  // namespace kbv
