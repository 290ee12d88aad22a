// SPDX-License-Identifier: MIT
#include "problem/flat_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace kbv {
namespace {

using testing::ElementsAre;

TEST(FlatYaml, ReadsScalarsAndWhatWasWritten) {
  const auto values = read_flat_yaml(
      "a: 1\r\nb:  plain text # comment\nc: 'it''s'\nd: \"x\\\"\\u0041\\\\\"\ne:\nf:g\n- h: i\n  j: k\n# l: m\nn: a#b: "
      "c",
      "c.yaml");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_THAT(*values,
              ElementsAre(testing::Pair("a", "1"), testing::Pair("b", "plain text"), testing::Pair("c", "it's"),
                          testing::Pair("d", "x\"A\\"), testing::Pair("e", ""), testing::Pair("n", "a#b: c")));
  EXPECT_EQ(read_flat_yaml(std::string((1u << 20) + 1, ' '), "c").error().code, "bad_config");
  const std::string odd = "a: \"b\" # 'c' \\u0041\n\t\x7f";
  const auto again = read_flat_yaml(write_flat_yaml({{"name", odd}}, {{"level", 2}}), "c");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->at("name"), odd);
  EXPECT_EQ(again->at("level"), "2");
}

TEST(FlatYaml, AnyBytesEndInValuesOrAComplaint) {
  std::mt19937_64 random(3);
  const std::string bits = "ab:\"'\\# \n\r\t-\xff" + std::string(1, '\0');
  int read = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = bits[random() % bits.size()];
    const auto values = read_flat_yaml(text, "c");
    ++(values ? read : refused);
    if (!values) EXPECT_EQ(values.error().fault, Fault::usage);
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 20);
}

TEST(FlatYaml, WhatIsNotUtf8IsReplacedAndCanBeWrittenAgain) {
  const auto read = read_flat_yaml("note: caf\xe9\nother: '\xff'\n", "config");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at("note"), "caf\xef\xbf\xbd");
  const auto again = read_flat_yaml(write_flat_yaml({{"note", read->at("note")}, {"other", read->at("other")}}, {}), "config");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *read);
}

}  // namespace
}  // namespace kbv
