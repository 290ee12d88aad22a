// SPDX-License-Identifier: MIT
#include "tracer/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace kbv {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

json good_kernel() {
  return {{"name", "k(int)"}, {"count", 2},         {"total_ns", 30},    {"min_ns", 10},      {"max_ns", 20},
          {"grid", {4, 5, 6}}, {"block", {32, 1, 1}}, {"registers", 40}, {"shared_bytes", 1024}};
}

json good_trace() {
  const json transfers = {{"count", 1}, {"bytes", 64}, {"total_ns", 5}};
  return {{"cupti_version", 130001}, {"problem", ""},      {"kernels", json::array({good_kernel()})},
          {"copies", transfers},     {"sets", transfers}, {"dropped", 3}};
}

TEST(ParseKernelTrace, ReadsWhatTheTracerWrites) {
  const auto trace = parse_kernel_trace(good_trace().dump() + "\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->cupti_version, 130001u);
  EXPECT_EQ(trace->dropped, 3u);
  EXPECT_FALSE(trace->complete());
  EXPECT_EQ(trace->copies.bytes, 64u);
  ASSERT_EQ(trace->kernels.size(), 1u);
  const auto& kernel = trace->kernels[0];
  EXPECT_EQ(kernel.name, "k(int)");
  EXPECT_EQ(kernel.count, 2u);
  EXPECT_EQ(kernel.max_ns, 20u);
  EXPECT_EQ(kernel.grid, (std::array<std::int64_t, 3>{4, 5, 6}));
  EXPECT_EQ(kernel.registers, 40u);
  EXPECT_EQ(kernel.shared_bytes, 1024u);
  EXPECT_EQ(kernel_share(kernel, *trace), 1.0);
}

void expect_bad(const std::string& bytes) {
  const auto trace = parse_kernel_trace(bytes);
  ASSERT_FALSE(trace) << bytes.substr(0, 200);
  EXPECT_EQ(trace.error().code, "bad_trace");
  EXPECT_EQ(trace.error().fault, Fault::candidate);
}

TEST(ParseKernelTrace, WhatIsNotOneObjectIsRefused) {
  for (const std::string bytes : {"", "\n", "null", "[]", "7", "{", "{}", "{\"kernels\":", "\xff\xfe", "{}{}",
                                  "{\"a\":\"\xff\"}", "nan", "\"text\""})
    expect_bad(bytes);
  expect_bad(std::string(100, '\0'));
  expect_bad(good_trace().dump() + good_trace().dump());
  expect_bad(std::string(k_max_trace_bytes + 1, ' '));
}

TEST(ParseKernelTrace, DepthAndNumberOfValuesAreBounded) {
  expect_bad(std::string(1 << 20, '['));
  std::string nested = "{\"kernels\":";
  for (int i = 0; i < 100000; ++i) nested += "{\"a\":";
  expect_bad(nested);
  json deep = good_trace();
  deep["extra"] = json::parse("[[[[[[[[1]]]]]]]]");
  expect_bad(deep.dump());
  std::string many = "{\"kernels\":[";
  while (many.size() < (15u << 20)) many += "1,";
  expect_bad(many + "1]}");
  std::string keys = "{";
  for (int i = 0; i < 500000; ++i) keys += "\"" + std::to_string(i) + "\":0,";
  expect_bad(keys + "\"z\":0}");
}

TEST(ParseKernelTrace, EveryFieldIsNeededAndOfItsType) {
  const json wrong[] = {nullptr, -1, 1.5, 1e300, true, "text", json::array(), json::object(), json::array({1, 2}),
                        json::array({1, 2, -3}), json::array({1, 2, 1e12}), UINT64_MAX};
  const json whole = good_trace(), one = good_kernel();
  for (const auto& [key, value] : whole.items()) {
    json trace = good_trace();
    trace.erase(key);
    expect_bad(trace.dump());
    for (const auto& other : wrong) {
      if ((key == "problem" && other.is_string()) || (key == "kernels" && other == json::array())) continue;
      trace[key] = other;
      expect_bad(trace.dump());
    }
  }
  for (const auto& [key, value] : one.items()) {
    json trace = good_trace();
    trace["kernels"][0].erase(key);
    expect_bad(trace.dump());
    for (const auto& other : wrong) {
      if (key == "name" && other.is_string()) continue;
      trace["kernels"][0][key] = other;
      expect_bad(trace.dump());
    }
  }
  for (const auto* key : {"copies", "sets"}) {
    for (const auto* field : {"count", "bytes", "total_ns"}) {
      json trace = good_trace();
      trace[key][field] = -1;
      expect_bad(trace.dump());
    }
  }
}

TEST(ParseKernelTrace, NumbersThatContradictEachOtherAreRefused) {
  json trace = good_trace();
  trace["kernels"][0]["count"] = 0;
  expect_bad(trace.dump());
  trace = good_trace();
  trace["kernels"][0]["max_ns"] = 31;
  expect_bad(trace.dump());
}

TEST(ParseKernelTrace, TooManyKernelsAreRefused) {
  json trace = good_trace();
  for (std::size_t i = 0; i < k_max_traced_kernels; ++i) trace["kernels"].push_back(good_kernel());
  expect_bad(trace.dump());
}

TEST(ParseKernelTrace, TextIsCutAndMadePrintable) {
  json trace = good_trace();
  trace["problem"] = std::string("\x1b[31m") + std::string(10000, 'p');
  trace["kernels"][0]["name"] = "\u00e9\n\x01\x7f\u202e" + std::string(10000, 'n');
  const auto parsed = parse_kernel_trace(trace.dump());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->problem.size(), 1024u);
  EXPECT_EQ(parsed->problem.substr(0, 5), "?[31m");
  EXPECT_EQ(parsed->kernels[0].name.size(), k_max_traced_name_bytes);
  EXPECT_EQ(parsed->kernels[0].name.substr(0, 9), "????????n");
}

TEST(ParseKernelTrace, TheTimesOfManyKernelsDoNotOverflow) {
  json trace = good_trace();
  trace["kernels"] = json::array();
  json kernel = good_kernel();
  kernel["total_ns"] = std::uint64_t{1} << 50;
  for (std::size_t i = 0; i < k_max_traced_kernels; ++i) trace["kernels"].push_back(kernel);
  const auto parsed = parse_kernel_trace(trace.dump());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->total_ns(), (std::uint64_t{1} << 50) * k_max_traced_kernels);
}

TEST(ParseKernelTrace, ChangedBytesNeverCrash) {
  const std::string good = good_trace().dump();
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (unsigned change = 0; change < 1 + random() % 4; ++change) {
      const auto at = random() % bytes.size();
      if (random() % 3 == 0)
        bytes.erase(at, random() % 20);
      else
        bytes[at] = static_cast<char>(random());
      if (bytes.empty()) break;
    }
    const auto trace = parse_kernel_trace(bytes);
    if (trace) provenance_labels(*trace, &*trace, {});
  }
}

TracedKernel kernel(const std::string& name, std::uint64_t total_ns, std::uint64_t count = 1) {
  TracedKernel result;
  result.name = name;
  result.total_ns = total_ns;
  result.count = count;
  return result;
}

KernelTrace trace_of(std::vector<TracedKernel> kernels) {
  KernelTrace trace;
  trace.cupti_version = 130001;
  trace.kernels = std::move(kernels);
  return trace;
}

const char* const k_add = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)";
const char* const k_gemm = "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT";
const ProvenanceContext k_relu_context{{"relu_kernel"}, {}};

TEST(ProvenanceLabels, NothingRan) {
  EXPECT_THAT(provenance_labels(trace_of({}), nullptr, {}), ElementsAre("no_kernel"));
  EXPECT_THAT(provenance_labels(trace_of({}), nullptr, k_relu_context), ElementsAre("no_kernel", "decoy_kernel"));
}

TEST(ProvenanceLabels, OnlyLibraries) {
  const auto trace = trace_of({kernel(k_add, 10), kernel("triton_poi_fused_add_0", 10)});
  EXPECT_THAT(provenance_labels(trace, nullptr, {}), ElementsAre("library_only", "no_custom_kernel"));
  EXPECT_THAT(provenance_labels(trace, nullptr, k_relu_context),
              ElementsAre("library_only", "no_custom_kernel", "decoy_kernel"));
  EXPECT_THAT(provenance_labels(trace_of({kernel(k_gemm, 10)}), nullptr, {}),
              ElementsAre("library_only", "no_custom_kernel", "tensor_cores"));
}

TEST(ProvenanceLabels, AnHonestKernelHasNone) {
  const auto trace = trace_of({kernel("relu_kernel(float const*, float*, int)", 100), kernel(k_add, 10)});
  EXPECT_THAT(provenance_labels(trace, nullptr, k_relu_context), IsEmpty());
  const auto triton = trace_of({kernel("add_kernel", 100)});
  EXPECT_THAT(provenance_labels(triton, nullptr, {{"add_kernel"}, {"add_kernel"}}), IsEmpty());
  EXPECT_THAT(provenance_labels(triton, nullptr, {{}, {"add_kernel"}}), IsEmpty());
}

TEST(ProvenanceLabels, ADecoyHasLessThanOnePercent) {
  const auto of = [](std::uint64_t own_ns) {
    return trace_of({kernel("relu_kernel(float*)", own_ns), kernel(k_add, 1000 - own_ns)});
  };
  EXPECT_THAT(provenance_labels(of(9), nullptr, k_relu_context), ElementsAre("decoy_kernel"));
  EXPECT_THAT(provenance_labels(of(10), nullptr, k_relu_context), IsEmpty());
  // Alone, a kernel whose time could not be told is no decoy.
  EXPECT_THAT(provenance_labels(trace_of({kernel("relu_kernel(float*)", 0)}), nullptr, k_relu_context), IsEmpty());
  // A source that defines nothing that we see has no decoy.
  EXPECT_THAT(provenance_labels(of(1), nullptr, {}), IsEmpty());
}

TEST(ProvenanceLabels, AnotherOwnKernelThanTheSourcesIsADecoy) {
  const auto trace = trace_of({kernel("other_kernel(int)", 100)});
  EXPECT_THAT(provenance_labels(trace, nullptr, k_relu_context), ElementsAre("decoy_kernel"));
}

TEST(ProvenanceLabels, SameAsTheBaseline) {
  const auto baseline = trace_of({kernel(k_add, 10, 2), kernel(k_gemm, 5)});
  const auto same = trace_of({kernel(k_gemm, 7), kernel(k_add, 20, 2)});
  const auto more = trace_of({kernel(k_gemm, 7), kernel(k_add, 20, 3)});
  EXPECT_THAT(provenance_labels(same, &baseline, {}),
              ElementsAre("library_only", "no_custom_kernel", "tensor_cores", "same_as_baseline"));
  EXPECT_THAT(provenance_labels(more, &baseline, {}), ElementsAre("library_only", "no_custom_kernel", "tensor_cores"));
  const auto nothing = trace_of({});
  EXPECT_THAT(provenance_labels(nothing, &nothing, {}), ElementsAre("no_kernel"));
}

TEST(ProvenanceLabels, AnIncompleteTraceTellsOnlyWhatIsThere) {
  auto lost = trace_of({kernel(k_gemm, 10)});
  lost.dropped = 1;
  EXPECT_THAT(provenance_labels(lost, &lost, k_relu_context), ElementsAre("tensor_cores"));
  auto failed = trace_of({});
  failed.problem = "no libcupti";
  EXPECT_THAT(provenance_labels(failed, nullptr, k_relu_context), IsEmpty());
}

TEST(KernelShare, IsOfTheKernelsTime) {
  const auto trace = trace_of({kernel("a", 30), kernel("b", 10)});
  EXPECT_DOUBLE_EQ(kernel_share(trace.kernels[0], trace), 0.75);
  const auto untimed = trace_of({kernel("a", 0)});
  EXPECT_EQ(kernel_share(untimed.kernels[0], untimed), 0);
}

}  // namespace
}  // namespace kbv
