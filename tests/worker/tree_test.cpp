// SPDX-License-Identifier: MIT
#include "worker/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kbv {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Result<std::vector<Leaf>> leaves(const std::string& text) {
  return tree_leaves(json::parse(text, nullptr, false), "output");
}

std::string tensor(const std::string& shape, const std::string& stride, const std::string& slot = "0",
                   const std::string& dtype = "\"float32\"") {
  return R"({"t":"tensor","slot":)" + slot + R"(,"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"stride":)" + stride + "}";
}

TEST(Tree, PathsShapesAndBytes) {
  const auto found = leaves(R"({"t":"dict","keys":["a","b"],"items":[)" + tensor("[2,3]", "[3,1]") +
                            R"(,{"t":"tuple","items":[{"t":"none"},)" + tensor("[]", "[]", "1", "\"float64\"") + "]}]}");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].path, "output['a']");
  EXPECT_EQ((*found)[0].bytes(), 24u);
  EXPECT_EQ((*found)[1].path, "output['b'][1]");
  EXPECT_EQ((*found)[1].elements, 1u);
  EXPECT_EQ(total_bytes(*found), 32u);
}

TEST(Tree, DenseLayoutsInAnyOrderAndEmptyTensors) {
  EXPECT_TRUE(leaves(tensor("[2,3]", "[1,2]")));
  EXPECT_TRUE(leaves(tensor("[2,1,3]", "[3,999,1]")));  // the stride of an extent of 1 is never used
  const auto empty = leaves(tensor("[0,3]", "[3,1]"));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->front().bytes(), 0u);
}

TEST(Tree, WhatWouldLeaveTheBufferOrOverflowIsRefused) {
  for (const auto& [shape, stride] : {std::pair{"[2,3]", "[4,1]"}, {"[2,3]", "[0,1]"}, {"[2]", "[-1]"}, {"[-2]", "[1]"},
                                      {"[4611686018427387904,4]", "[4,1]"}, {"[1099511627776,1099511627776]", "[1,1]"},
                                      {"[2]", "[9223372036854775807]"}, {"[2]", "[1,1]"}, {"[2.5]", "[1]"},
                                      {"[18446744073709551615]", "[1]"}, {"\"2\"", "[1]"}, {"{}", "{}"},
                                      // Of an empty tensor as well, before and behind the extent of 0.
                                      {"[0,-2]", "[1,1]"}, {"[-2,0]", "[1,1]"}, {"[0,2]", "[1,-1]"}, {"[0,4611686018427387904]", "[1,1]"}}) {
    const auto found = leaves(tensor(shape, stride));
    ASSERT_FALSE(found) << shape << stride;
    EXPECT_EQ(found.error().code, "protocol");
  }
}

TEST(Tree, MalformedNodesAreRefused) {
  std::string deep = tensor("[1]", "[1]");
  for (int i = 0; i < 30; ++i) deep = R"({"t":"list","items":[)" + deep + "]}";
  std::string many = R"({"t":"list","items":[)";
  for (int i = 0; i < 4097; ++i) many += (i ? "," : "") + tensor("[1]", "[1]", std::to_string(i));
  for (const std::string& text : {std::string("7"), std::string("[]"), std::string("null"), deep, many + "]}",
                                  tensor("[1]", "[1]", "1"), tensor("[1]", "[1]", "-1"), tensor("[1]", "[1]", "\"0\""),
                                  tensor("[1]", "[1]", "0", "\"float128\""), tensor("[1]", "[1]", "0", "7"),
                                  std::string(R"({"t":"list","items":7})"), std::string(R"({"t":"list","items":[7]})"),
                                  std::string(R"({"t":"dict","keys":["a"],"items":[]})"),
                                  std::string(R"({"t":"dict","keys":[7],"items":[{"t":"none"}]})")})
    EXPECT_FALSE(leaves(text)) << text.substr(0, 100);
}

}  // namespace
}  // namespace kbv
