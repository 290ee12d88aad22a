// SPDX-License-Identifier: MIT
#include "tracer/kernel_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tracer/provenance.h"

namespace kbv::tracer {
namespace {

using nlohmann::json;

KernelSample sample(std::string_view name, std::uint64_t duration_ns) {
  return {name, duration_ns, {4, 5, 6}, {32, 2, 1}, 40, 1024};
}

TEST(JsonString, EveryByteMakesValidJsonAndComesBack) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const std::string text = json_string(all);
  for (const char c : text) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  const json value = json::parse(text, nullptr, false);
  ASSERT_TRUE(value.is_string());
  // Bytes from 0x80 stand as the code points of the same number, two bytes each in UTF-8.
  const auto back = value.get<std::string>();
  EXPECT_EQ(back.size(), 128u + 2 * 128u);
  EXPECT_EQ(back.substr(0, 128), all.substr(0, 128));
}

TEST(JsonString, QuotesAndBackslashesAreEscaped) { EXPECT_EQ(json_string("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\""); }

TEST(KeptName, IsDemangled) {
  EXPECT_EQ(kept_name("_Z4axpyIfEvPT_S1_i"), "void axpy<float>(float*, float*, int)");
  EXPECT_EQ(kept_name("_ZN38_GLOBAL__N__7f3c1a2b_6_foo_cu_5a6b7c8d4bodyEi"), "(anonymous namespace)::body(int)");
  EXPECT_EQ(kept_name("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
}

TEST(KeptName, WhatIsNotAMangledNameStaysAsItIs) {
  for (const std::string name : {"", "_Z", "_Zgarbage", "_ZN", "_Z4ax", "plain name <>"})
    EXPECT_EQ(kept_name(name), name);
}

TEST(KeptName, ALongNameIsCutButNotConfusedWithAnother) {
  const std::string one = kept_name(std::string(2000, 'a') + "1"), two = kept_name(std::string(2000, 'a') + "2");
  EXPECT_EQ(one.size(), k_max_name_bytes);
  EXPECT_EQ(two.size(), k_max_name_bytes);
  EXPECT_NE(one, two);
  EXPECT_EQ(kept_name(std::string(k_max_name_bytes, 'b')), std::string(k_max_name_bytes, 'b'));
}

TEST(KeptName, ANameThatBlowsUpWhenDemangledIsBounded) {
  // Each substitution refers to the pair before it twice: 2^n letters.
  std::string name = "_Z1fI1aE1bIS_S_E";
  for (int i = 0; i < 16; ++i) name += "1bIS" + std::to_string(i) + "_S" + std::to_string(i) + "_E";
  EXPECT_LE(kept_name(name).size(), k_max_name_bytes);
  EXPECT_LE(kept_name("_Z" + std::string(100000, 'P') + "i").size(), k_max_name_bytes);
}

TEST(KernelTable, SumsLaunchesByName) {
  KernelTable table;
  table.add_kernel(sample("b", 30));
  table.add_kernel(sample("a", 5));
  KernelSample last = sample("b", 10);
  last.grid = {7, 8, 9};
  last.registers = 255;
  table.add_kernel(last);
  table.add_copy(100, 3);
  table.add_copy(50, 4);
  table.add_set(7, 1);
  table.add_dropped(2);
  const json value = json::parse(table.to_json(130001, "say \"why\""), nullptr, false);
  EXPECT_EQ(value, json::parse(R"({"cupti_version":130001,"problem":"say \"why\"","kernels":[
    {"name":"a","count":1,"total_ns":5,"min_ns":5,"max_ns":5,"grid":[4,5,6],"block":[32,2,1],"registers":40,
     "shared_bytes":1024},
    {"name":"b","count":2,"total_ns":40,"min_ns":10,"max_ns":30,"grid":[7,8,9],"block":[32,2,1],"registers":255,
     "shared_bytes":1024}],
    "copies":{"count":2,"bytes":150,"total_ns":7},"sets":{"count":1,"bytes":7,"total_ns":1},"dropped":2})"));
}

TEST(KernelTable, IsOneLine) {
  KernelTable table;
  table.add_kernel(sample("a\nb", 1));
  EXPECT_EQ(table.to_json(1, "c\nd").find('\n'), std::string::npos);
}

TEST(KernelTable, ClearForgetsEverything) {
  KernelTable table;
  table.add_kernel(sample("a", 5));
  table.add_set(1, 1);
  table.add_dropped(9);
  table.clear();
  EXPECT_EQ(table.to_json(0, ""), KernelTable().to_json(0, ""));
}

TEST(KernelTable, NamesBeyondTheLimitAreDroppedAndCounted) {
  KernelTable table;
  for (std::size_t i = 0; i < k_max_kernel_names + 10; ++i) table.add_kernel(sample("k" + std::to_string(i), 1));
  table.add_kernel(sample("k0", 1));  // known, so kept
  const json value = json::parse(table.to_json(1, ""), nullptr, false);
  EXPECT_EQ(value["kernels"].size(), k_max_kernel_names);
  EXPECT_EQ(value["dropped"], 10);
}

TEST(KernelTable, TheLargestDocumentIsWithinWhatTheJudgeReads) {
  KernelTable table;
  for (std::size_t i = 0; i < k_max_kernel_names; ++i) {
    KernelSample worst = sample({}, std::uint64_t{1} << 49);
    const std::string name = std::to_string(i) + std::string(600, '\xff');
    worst.name = name;
    worst.grid = worst.block = {INT32_MAX, INT32_MAX, INT32_MAX};
    table.add_kernel(worst);
  }
  const std::string text = table.to_json(130001, "");
  EXPECT_LE(text.size(), k_max_trace_bytes);
  const auto trace = parse_kernel_trace(text);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->kernels.size(), k_max_kernel_names);
}

}  // namespace
}  // namespace kbv::tracer
