// SPDX-License-Identifier: MIT
// Files can be edited, by mistake or with intent: reading one must end with an observation or with a clear complaint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "../score/sample_observation.h"
#include "store/observation_json.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;

const std::string& good() {
  static const std::string text = observation_to_json(test::good_observation(), {});
  return text;
}

std::string complaint(const std::string& text) {
  const auto read = observation_from_json(text, "file.json");
  if (read) return "no complaint";
  EXPECT_EQ(read.error().fault, Fault::usage);
  EXPECT_EQ(read.error().code, "bad_observation");
  EXPECT_LT(read.error().message.size(), 400u);
  return read.error().message;
}

/// The good file with the first `from` at or after `anchor` replaced.
std::string edited(const std::string& anchor, const std::string& from, const std::string& to) {
  std::string text = good();
  const std::size_t at = text.find(from, text.find(anchor));
  if (at == std::string::npos) throw std::logic_error("no such text: " + from);
  return text.replace(at, from.size(), to);
}

TEST(HostileJson, NamesThePathAndTheTrouble) {
  const struct {
    std::string text, complaint;
  } cases[] = {
      {edited("", "kbv-observation/5", "kbv-observation/9"),
       "file.json: schema: expected \"kbv-observation/5\", got \"kbv-observation/9\""},
      {edited("", "\"schema\": \"kbv-observation/5\"", "\"schema\": 1"), "schema: expected a string, got number"},
      {edited("", "\"schema\"", "\"scheme\""), "schema: missing"},
      {edited("", "\"wall_seconds\": 12.5", "\"wall_seconds\": \"12.5\""), "wall_seconds: expected a number, \"nan\""},
      {edited("", "\"wall_seconds\": 12.5", "\"wall_seconds\": null"), "wall_seconds: expected a number"},
      {edited("", "\"wall_seconds\": 12.5", "\"wall_seconds\": 1e400"), "a number is too large"},
      {edited("", "\"wall_seconds\"", "\"walls\""), "wall_seconds: missing"},
      {edited("", "\"wall_seconds\": 12.5", "\"wall_seconds\": 12.5, \"extra\": 1"), "unknown field 'extra'"},
      {edited("", "\"correctness\": 3.25", "\"correctness\": []"), "stage_seconds.correctness: expected a number"},
      {edited("", "\"bytes\": 321", "\"bytes\": -1"), "problem.bytes: must be from 0 to 18446744073709551615"},
      {edited("", "\"bytes\": 321", "\"bytes\": 3.5"), "problem.bytes: expected a whole number, got number"},
      {edited("", "\"cpus\": 16", "\"cpus\": 2147483648"), "machine.cpus: must be from -2147483648 to 2147483647"},
      {edited("", "\"cpus\": 16", "\"cpus\": 18446744073709551616"), "machine.cpus: expected a whole number"},
      {edited("", "\"backend\": \"cuda\"", "\"backend\": \"rocm\""), "machine.backend: expected one of \"\", \"host\""},
      {edited("", "\"kind\": \"hidden\"", "\"kind\": \"secret\""), "cases[5].kind: expected one of \"trial\", \"hidden\""},
      {edited("trial-1", "\"seed\": \"", "\"seed\": \"-"), "cases[1].seed: expected a 64-bit number in digits"},
      {edited("trial-1", "\"seed\": \"9", "\"seed\": \"9x"), "cases[1].seed: expected a 64-bit number in digits"},
      {edited("trial-1", "\"seed\": \"", "\"seed\": \"99999"), "cases[1].seed: expected a 64-bit number in digits"},
      {edited("trial-1", "\"seed\": \"9000000000000000008\"", "\"seed\": 9"), "cases[1].seed: expected a string of digits"},
      {edited("trial-1", "\"seed\": \"9000000000000000008\"", "\"seed\": \"\""), "cases[1].seed: expected a 64-bit"},
      {edited("trial-2", "\"ran\": true", "\"ran\": 1"), "cases[2].ran: expected true or false, got number"},
      {edited("trial-2", "\"tau\": ", "\"tau\": \"x\", \"y\": "), "cases[2].outputs[0].stats.tau: expected a number"},
      {edited("trial-2", "\"float32\"", "\"float33\""), "cases[2].outputs[0].dtype: 'float33' is not a name"},
      {edited("trial-2", "\"outputs\": [", "\"outputs\": [7, "), "cases[2].outputs[0]: expected an object, got number"},
      {edited("", "\"isolation_layers\": [", "\"isolation_layers\": [null, "), "isolation_layers[0]: expected a string"},
      {edited("", "\"fault\": null", "\"fault\": {\"fault\": \"nobody\"}"), "fault.fault: 'nobody' is not a name"},
      {edited("", "\"fault\": null", "\"fault\": {\"fault\": \"machine\"}"), "fault.code: missing"},
      {edited("", "\"fault\": null", "\"fault\": null, \"\\u001b[2J\": 1"), "unknown field '?[2J'"},
  };
  for (const auto& c : cases) EXPECT_THAT(complaint(c.text), HasSubstr(c.complaint));
}

TEST(HostileJson, WhatIsNotAnObservation) {
  for (const std::string text : {"", " ", "{", "nul", "\xff", "{\"schema\": \"kbv-observation/5\"", "{} {}"})
    EXPECT_THAT(complaint(text), HasSubstr("not JSON at byte")) << text;
  for (const std::string text : {"[]", "null", "1", "\"x\""}) EXPECT_THAT(complaint(text), HasSubstr("expected an object"));
  EXPECT_THAT(complaint("{}"), HasSubstr("schema: missing"));
}

TEST(HostileJson, BombsAreBounded) {
  EXPECT_THAT(complaint(std::string(1'000'000, '[')), HasSubstr("nested deeper"));
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += "{\"a\":";
  EXPECT_THAT(complaint(objects), HasSubstr("nested deeper"));
  std::string wide = "[0";
  for (int i = 0; i < 4'100'000; ++i) wide += ",0";
  EXPECT_THAT(complaint(wide + "]"), HasSubstr("more values"));
  EXPECT_THAT(complaint(std::string((64u << 20) + 1, ' ')), HasSubstr("larger than an observation"));
}

TEST(HostileJson, EveryTruncationIsAComplaint) {
  for (std::size_t size = 0; size + 2 < good().size(); size += 41)
    ASSERT_THAT(complaint(good().substr(0, size)), HasSubstr("not JSON")) << size;
}

TEST(HostileJson, RandomEditsEndInAnObservationOrAComplaint) {
  std::mt19937_64 random(7);
  const std::string bits = "{}[]\",:0123456789.eE-+ntrufalsx \\\x80\xff\x01";
  int read = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string text = good();
    for (int edits = 0; edits < 1 + i % 3; ++edits) text[random() % text.size()] = bits[random() % bits.size()];
    auto result = observation_from_json(text, "fuzz");
    ++(result ? read : refused);
    if (!result) continue;
    EXPECT_TRUE(observation_from_json(observation_to_json(*result, {}), "again"));
    if (i % 10 != 0) result->candidate_time = {};  // spares the bootstrap
    for (const Protocol& protocol : builtin_protocols())  // what was read can be judged
      EXPECT_FALSE(judge_observation(*result, protocol).code.empty());
  }
  EXPECT_GT(read, 10);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace kbv
