// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "score/protocol.h"

namespace kbv {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* k_good = R"({
  "schema": "kbv-protocol/2", "name": "mine", "title": "My rules", "trials": 2, "distributions": ["D1", "D4"],
  "tolerance": {"float64": 1e-4, "float32": 1e-4, "float16": 1e-2, "bfloat16": 0, "complex64": 1e-4, "complex128": 1},
  "exact_integers": true, "timed_outputs": false, "max_rms_ratio": 0.5, "families": ["S1", "S10"],
  "robust_families": [], "contracts": true, "parameters": false, "budget": {"max_factor": 9, "rms_factor": 8, "products_max_factor": 7, "products_rms_factor": 6,
  "variation_factor": 5, "variation_least": 0.25, "variation_void": 0.125, "strict_least": 1e-6,
  "least": {"float64": 1e-5, "float32": 2e-5, "float16": 1e-3, "bfloat16": 1e-2, "complex64": 1e-5, "complex128": 1e-5}}, "baseline": "compile", "mean_of_calls": 7, "memory": true})";

/// `k_good` with one piece of it replaced.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = k_good;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no such text: " + from);
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  const auto protocol = parse_protocol(text, "mine.json");
  if (protocol) return "no complaint";
  EXPECT_EQ(protocol.error().fault, Fault::usage);
  EXPECT_EQ(protocol.error().code, "bad_protocol");
  EXPECT_THAT(protocol.error().message, ::testing::StartsWith("mine.json: "));
  return protocol.error().message;
}

TEST(ProtocolFile, ReadsEveryField) {
  const Protocol protocol = parse_protocol(k_good, "mine.json").value();
  EXPECT_EQ(protocol.name, "mine");
  EXPECT_EQ(protocol.title, "My rules");
  EXPECT_EQ(protocol.trials, 2);
  EXPECT_THAT(protocol.distributions, ElementsAre("D1", "D4"));
  EXPECT_EQ(protocol.tolerance.size(), 6u);
  EXPECT_EQ(protocol.tolerance.at("float32"), 1e-4);
  EXPECT_TRUE(protocol.exact_integers);
  EXPECT_FALSE(protocol.timed_outputs);
  EXPECT_EQ(protocol.max_rms_ratio, 0.5);
  EXPECT_EQ(protocol.baseline, "compile");
  EXPECT_TRUE(protocol.memory);
  EXPECT_EQ(protocol.mean_of_calls, 7);
  EXPECT_THAT(protocol.families, ElementsAre("S1", "S10"));
  EXPECT_TRUE(protocol.contracts);
  EXPECT_FALSE(protocol.parameters);
  ASSERT_TRUE(protocol.budget);
  EXPECT_EQ(protocol.budget->max_factor, 9);
  EXPECT_EQ(protocol.budget->products_rms_factor, 6);
  EXPECT_EQ(protocol.budget->variation_void, 0.125);
  EXPECT_EQ(protocol.budget->strict_least, 1e-6);
  EXPECT_EQ(protocol.budget->least.at("float32"), 2e-5);
  EXPECT_FALSE(parse_protocol(edited("\"max_rms_ratio\": 0.5", "\"max_rms_ratio\": null"), "mine.json").value().max_rms_ratio.has_value());
}

TEST(ProtocolFile, NamesWhatIsWrong) {
  const struct {
    std::string text, complaint;
  } cases[] = {
      {edited("\"memory\": true", "\"memory\": true, \"speed\": 1"), "unknown field 'speed'"},
      {edited("\"trials\": 2, ", ""), "missing field 'trials'"},
      {edited(", \"memory\": true", ""), "missing field 'memory'"},
      {edited("\"mean_of_calls\": 7", "\"mean_of_calls\": -1"), "'mean_of_calls' must be"},
      {edited("\"mean_of_calls\": 7", "\"mean_of_calls\": 1.5"), "'mean_of_calls'"},
      {edited("\"trials\": 2", "\"trials\": \"2\""), "'trials': expected a whole number, got string"},
      {edited("\"trials\": 2", "\"trials\": 2.5"), "'trials': expected a whole number"},
      {edited("\"trials\": 2", "\"trials\": -1"), "'trials' must be from 0 to 1000"},
      {edited("\"trials\": 2", "\"trials\": 18446744073709551615"), "'trials' must be from 0 to 1000"},
      {edited("\"trials\": 2", "\"trials\": 2, \"trials\": 0"), "'trials' is there twice"},
      {edited("[\"D1\", \"D4\"]", "[\"D1\", \"D5\"]"), "'distributions': each must be one of D1, D2, D3, D4"},
      {edited("[\"D1\", \"D4\"]", "[\"D1\", 4]"), "'distributions': each must be one of"},
      {edited("[\"D1\", \"D4\"]", "[\"D1\", \"D1\"]"), "'D1' is there twice"},
      {edited("[\"D1\", \"D4\"]", "\"D1\""), "'distributions': expected a list, got string"},
      {edited("\"trials\": 2, \"distributions\": [\"D1\", \"D4\"]", "\"trials\": 0, \"distributions\": []"),
       "anything would pass"},
      {edited("\"float32\": 1e-4, ", ""), "missing field 'tolerance.float32'"},
      {edited("\"float32\": 1e-4", "\"float32\": \"1e-4\""), "'tolerance.float32': expected a number, got string"},
      {edited("\"float32\": 1e-4", "\"float32\": -1"), "'tolerance.float32' must not be negative"},
      {edited("\"float32\": 1e-4", "\"float32\": 1e999"), "too large"},
      {edited("\"float32\": 1e-4", "\"float32\": 1e-4, \"float23\": 1"), "unknown field 'float23'"},
      {edited("\"float32\": 1e-4", "\"float32\": 1e-4, \"int64\": 1"), "'tolerance.int64' contradicts"},
      {edited("\"exact_integers\": true", "\"exact_integers\": false"), "missing field 'tolerance.int64'"},
      {edited("\"exact_integers\": true", "\"exact_integers\": 1"), "'exact_integers': expected true or false"},
      {edited("ratio\": 0.5", "ratio\": 0"), "'max_rms_ratio' must be above 0"},
      {edited("ratio\": 0.5", "ratio\": \"0.5\""), "'max_rms_ratio': expected a number or null, got string"},
      {edited("\"compile\"", "\"compiled\""), "'baseline': 'compiled' is not one of eager, tf32_off"},
      {edited("\"My rules\"", "\"\""), "'title' must not be empty"},
      {edited("[\"S1\", \"S10\"]", "[\"S1\", \"S99\"]"), "'families': each must be one of S1, "},
      {edited("[\"S1\", \"S10\"]", "[\"S1\", \"S1\"]"), "'families': 'S1' is there twice"},
      {edited("\"rms_factor\": 8, ", ""), "missing field 'rms_factor'"},
      {edited("\"rms_factor\": 8", "\"rms_factor\": 0"), "'budget.rms_factor' must be above 0"},
      {edited("\"float32\": 2e-5", "\"float32\": -1"), "'budget.least.float32' must be a number above 0"},
      {edited("\"float32\": 2e-5, ", ""), "missing field 'budget.least.float32'"},
      {edited("\"float32\": 2e-5", "\"int32\": 1"), "'budget.least': unknown field 'int32'"},
      {edited("\"strict_least\": 1e-6", "\"strict_least\": 1e-6, \"slack\": 1"), "unknown field 'slack'"},
      {edited("\"contracts\": true", "\"contracts\": 1"), "'contracts': expected true or false"},
      {edited("kbv-protocol/2", "kbv-protocol/9"), "'schema': expected 'kbv-protocol/2', got 'kbv-protocol/9'"},
      {"[]", "expected an object, got array"},
      {"{", "not JSON at byte 2"},
      {"", "not JSON at byte"},
  };
  for (const auto& c : cases) EXPECT_THAT(complaint(c.text), HasSubstr(c.complaint)) << c.text;
}

TEST(ProtocolFile, BuiltinKernelbench) {
  const Protocol p = find_protocol("kernelbench").value();
  EXPECT_EQ(p.trials, 5);
  EXPECT_THAT(p.distributions, IsEmpty());
  for (const auto& [dtype, tolerance] : p.tolerance) EXPECT_EQ(tolerance, 1e-2) << dtype;
  EXPECT_EQ(p.tolerance.count("int64"), 1u);
  EXPECT_FALSE(p.exact_integers || p.timed_outputs || p.memory || p.max_rms_ratio);
  EXPECT_EQ(p.baseline, "eager");
}

TEST(ProtocolFile, BuiltinVerified) {
  const Protocol p = find_protocol("verified").value();
  EXPECT_EQ(p.trials, 1);
  EXPECT_THAT(p.distributions, ElementsAre("D1", "D2", "D3", "D4"));
  for (const char* name : {"float32", "float64", "complex64", "complex128"}) EXPECT_EQ(p.tolerance.at(name), 1e-3);
  for (const char* name : {"float16", "bfloat16"}) EXPECT_EQ(p.tolerance.at(name), 1e-2);
  EXPECT_FALSE(p.exact_integers || p.timed_outputs || p.max_rms_ratio);
  EXPECT_TRUE(p.memory);
  EXPECT_EQ(p.baseline, "tf32_on");
}

TEST(ProtocolFile, BuiltinAttested) {
  const Protocol p = find_protocol("attested").value();
  EXPECT_EQ(p.trials, 5);
  EXPECT_THAT(p.distributions, ElementsAre("D1", "D2", "D3", "D4"));
  EXPECT_EQ(p.tolerance.at("float32"), 1e-3);
  EXPECT_EQ(p.tolerance.at("bfloat16"), 1e-2);
  EXPECT_EQ(p.tolerance.count("int64"), 0u);
  EXPECT_TRUE(p.exact_integers && p.timed_outputs && p.memory);
  EXPECT_EQ(p.max_rms_ratio, 0.02);
  EXPECT_EQ(p.baseline, "tf32_on");
}

TEST(ProtocolFile, UnknownNameListsTheKnownOnes) {
  ASSERT_EQ(builtin_protocols().size(), 3u);
  const auto protocol = find_protocol("verifed");
  ASSERT_FALSE(protocol);
  EXPECT_THAT(protocol.error().message, HasSubstr("'verifed', only kernelbench, verified, attested"));
}

}  // namespace
}  // namespace kbv
