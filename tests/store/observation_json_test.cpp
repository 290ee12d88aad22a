// SPDX-License-Identifier: MIT
#include "store/observation_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "../score/sample_observation.h"
#include "look/rules.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;

/// Every field set to something that is not its default.
Observation full_observation() {
  Observation o = test::good_observation();
  o.precision = "bf16";
  o.constants = {{"M", "1024"}, {"name", "\"x\""}};
  o.isolation_missing = {"landlock: kernel 5.10 has none"};
  o.refused_calls = {{"seccomp", "ptrace", true}, {"seccomp", "io_uring_setup", false}};
  o.cases[0].mutated_inputs = true;
  o.cases[1].dropped = true;
  o.cases[1].drop_reason = "reference has NaN";
  o.cases[1].seed = std::numeric_limits<std::uint64_t>::max();
  o.cases[2].outputs[0].dtype = DType::complex128;
  o.cases[2].outputs[0].stats = {~0ull, 1, 2, 0.1, 1e-300, 5e-324, 1e308, 1.0 / 3, 1ull << 63, -0.0, 2.5};
  o.baselines[0].check = o.output_layout;
  o.baselines[0].problem = "none";
  o.candidate_memory.state_bytes = 77;
  o.timing = {"cold", 8, "", 12.5, 10, 40, 2, "precision", 3, 1.5, 4.1e12, 137'000'000'000, 7.9e14, 7.5, 0.02, "2026-08-01T00:00:00Z", {}};
  o.timing.device.resize(2);
  o.timing.device[0] = {0.25, 1980, 3201, 55, 412000, {"sw_power_cap"}, 0};
  o.null.batch_us = {400.5, 401};
  o.null.batch_forward_us = {100.5, 101};
  o.null.forward_us = {9.5};
  o.source_labels = {"looked at in part", "too long", 0.25, {{"files", 3, 1, "open"}, {"clock", 9, 0, "\x1b[2J \xff"}}, {{"files", 7}}};
  o.noise = Noise{{{"noise-D1", 64, {{0.25, 2.5, false, 2, 0.125, 1.5, 0.5, {{"mean", 1, 2, 3, 4, 5, 6}}, {{"each element's mean", 1, 2, 3, 4, 5, 6}}}}}},
                  {{0.125, 0.0625}}, "no room"};
  o.build = {true, true, 12.25, "error: x", "line 1\nline 2\t\"quoted\""};
  o.candidate_output = "héllo\n";
  o.fault = Error{Fault::candidate, "crash", "signal 11", "Traceback"};
  return o;
}

std::string json(const Observation& observation) { return observation_to_json(observation, {}); }

Observation reread(const Observation& observation) {
  auto read = observation_from_json(json(observation), "test");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read.value();
}

TEST(ObservationJson, OneFromBeforeRefusedCallsWereToldIsRead) {
  const std::string text = json(test::good_observation()), field = "\"refused_calls\": []";
  const auto at = text.find(field);
  ASSERT_NE(at, std::string::npos);
  std::string older = text;
  older.erase(at, text.find('"', at + field.size()) - at);
  EXPECT_TRUE(observation_from_json(older, "test"));
  std::string other = text;
  other.replace(at, field.size(), "\"refused_calls\": 1");
  EXPECT_FALSE(observation_from_json(other, "test"));
}

TEST(ObservationJson, RandomNumbersAreReadBack) {
  const Observation r = reread(full_observation());
  ASSERT_TRUE(r.noise);
  ASSERT_EQ(r.noise->draws.size(), 1u);
  EXPECT_EQ(r.noise->draws[0].id, "noise-D1");
  EXPECT_EQ(r.noise->draws[0].calls, 64);
  const NoiseOutput& output = r.noise->draws[0].outputs.at(0);
  EXPECT_EQ(output.sigma, 0.25);
  EXPECT_EQ(output.size, 2.5);
  EXPECT_FALSE(output.finite);
  EXPECT_EQ(output.far_mean + output.far_sd + output.far_least + output.least, 4.125);
  EXPECT_EQ(output.measures.at(0).name, "mean");
  EXPECT_EQ(output.measures.at(0).square, 6);
  EXPECT_EQ(output.fields.at(0).top, 4);
  EXPECT_EQ(r.noise->spreads.at(0).sd, 0.0625);
  EXPECT_EQ(r.noise->note, "no room");
  EXPECT_FALSE(reread(test::good_observation()).noise);
  std::string older = json(test::good_observation());
  const std::string field = "\"noise\": null,";
  ASSERT_NE(older.find(field), std::string::npos);
  older.erase(older.find(field), field.size());
  EXPECT_TRUE(observation_from_json(older, "test")) << "from before it was told";
}

TEST(ObservationJson, RoundTripKeepsEveryField) {
  const Observation o = full_observation(), r = reread(o);
  EXPECT_EQ(json(r), json(o));  // what the writer knows; and by hand, in case it forgets one on both ways:
  EXPECT_EQ(r.kbv_version, o.kbv_version);
  EXPECT_EQ(r.started_at, o.started_at);
  EXPECT_EQ(r.wall_seconds, o.wall_seconds);
  EXPECT_EQ(r.stage_seconds, o.stage_seconds);
  EXPECT_EQ(r.problem.sha256, o.problem.sha256);
  EXPECT_EQ(r.candidate.bytes, o.candidate.bytes);
  EXPECT_EQ(r.candidate.path, o.candidate.path);
  EXPECT_EQ(r.size, o.size);
  EXPECT_EQ(r.precision, o.precision);
  EXPECT_EQ(r.constants, o.constants);
  EXPECT_EQ(r.secret, o.secret);
  EXPECT_EQ(r.machine.backend, o.machine.backend);
  EXPECT_EQ(r.machine.device, o.machine.device);
  EXPECT_EQ(r.machine.device_uuid, o.machine.device_uuid);
  EXPECT_EQ(r.machine.driver_version, o.machine.driver_version);
  EXPECT_EQ(r.machine.kernel, o.machine.kernel);
  EXPECT_EQ(r.machine.cpus, o.machine.cpus);
  EXPECT_EQ(r.machine.python, o.machine.python);
  EXPECT_EQ(r.machine.torch, o.machine.torch);
  EXPECT_EQ(r.machine.cuda, o.machine.cuda);
  EXPECT_EQ(r.machine.cudnn, o.machine.cudnn);
  EXPECT_EQ(r.machine.torch_threads, o.machine.torch_threads);
  EXPECT_EQ(r.isolation_level, o.isolation_level);
  EXPECT_EQ(r.isolation_layers, o.isolation_layers);
  EXPECT_EQ(r.isolation_missing, o.isolation_missing);
  ASSERT_EQ(r.refused_calls.size(), 2u);
  EXPECT_EQ(r.refused_calls[0].layer + ": " + r.refused_calls[0].call, "seccomp: ptrace");
  EXPECT_TRUE(r.refused_calls[0].is_attack);
  EXPECT_FALSE(r.refused_calls[1].is_attack);
  EXPECT_EQ(r.output_layout.at(0).shape, o.output_layout.at(0).shape);
  EXPECT_EQ(r.timing.cache_rule, o.timing.cache_rule);
  EXPECT_EQ(r.timing.batch_calls, o.timing.batch_calls);
  EXPECT_EQ(r.timing.why_single, o.timing.why_single);
  EXPECT_EQ(r.timing.null_us, 12.5);
  EXPECT_EQ(r.timing.warm_calls, 10);
  EXPECT_EQ(r.timing.operations, 137'000'000'000u);
  EXPECT_EQ(r.timing.operations_per_s, 7.9e14);
  EXPECT_EQ(r.timing.rounds, o.timing.rounds);
  EXPECT_EQ(r.timing.redone_rounds, o.timing.redone_rounds);
  EXPECT_EQ(r.timing.ended_by, "precision");
  EXPECT_EQ(r.timing.busy_after_calls, o.timing.busy_after_calls);
  EXPECT_EQ(r.timing.longest_busy_ms, o.timing.longest_busy_ms);
  EXPECT_EQ(r.timing.memory_bytes_per_s, o.timing.memory_bytes_per_s);
  EXPECT_EQ(r.timing.floor_us, 7.5);
  EXPECT_EQ(r.timing.floor_part, 0.02);
  EXPECT_EQ(r.timing.floor_measured_at, o.timing.floor_measured_at);
  ASSERT_EQ(r.timing.device.size(), 2u);
  EXPECT_EQ(r.timing.device[0].sm_clock_mhz, o.timing.device[0].sm_clock_mhz);
  EXPECT_EQ(r.timing.device[0].throttle_reasons, o.timing.device[0].throttle_reasons);
  EXPECT_EQ(r.timing.device[0].foreign_processes, o.timing.device[0].foreign_processes);
  EXPECT_EQ(r.timing.device[1].power_mw, std::nullopt);
  EXPECT_EQ(r.null.batch_us, o.null.batch_us);
  EXPECT_EQ(r.null.batch_forward_us, o.null.batch_forward_us);
  EXPECT_EQ(r.null.forward_us, o.null.forward_us);
  EXPECT_EQ(r.null.attested_us, o.null.attested_us);
  EXPECT_EQ(r.candidate_time.attested_us, o.candidate_time.attested_us);
  EXPECT_EQ(r.candidate_time.claimed_us, o.candidate_time.claimed_us);
  EXPECT_EQ(r.candidate_output, o.candidate_output);
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->fault, Fault::candidate);
  EXPECT_EQ(r.fault->code, o.fault->code);
  EXPECT_EQ(r.fault->message, o.fault->message);
  EXPECT_EQ(r.fault->detail, o.fault->detail);
}

TEST(ObservationJson, RoundTripKeepsCasesBaselinesMemoryAndBuild) {
  const Observation o = full_observation(), r = reread(o);
  ASSERT_EQ(r.cases.size(), o.cases.size());
  for (std::size_t i = 0; i < o.cases.size(); ++i) {
    const CaseResult &a = o.cases[i], &b = r.cases[i];
    EXPECT_EQ(b.id, a.id);
    EXPECT_EQ(b.kind, a.kind);
    EXPECT_EQ(b.distribution, a.distribution);
    EXPECT_EQ(b.scale, a.scale);
    EXPECT_EQ(b.seed, a.seed);
    EXPECT_EQ(b.dropped, a.dropped);
    EXPECT_EQ(b.drop_reason, a.drop_reason);
    EXPECT_EQ(b.ran, a.ran);
    EXPECT_EQ(b.mutated_inputs, a.mutated_inputs);
    ASSERT_EQ(b.outputs.size(), a.outputs.size());
    for (std::size_t k = 0; k < a.outputs.size(); ++k) {
      EXPECT_EQ(b.outputs[k].path, a.outputs[k].path);
      EXPECT_EQ(b.outputs[k].dtype, a.outputs[k].dtype);
      EXPECT_EQ(b.outputs[k].shape, a.outputs[k].shape);
      EXPECT_EQ(std::memcmp(&b.outputs[k].stats, &a.outputs[k].stats, sizeof(CompareStats)), 0);  // to the last bit
    }
  }
  ASSERT_EQ(r.baselines.size(), o.baselines.size());
  for (std::size_t i = 0; i < o.baselines.size(); ++i) {
    const BaselineResult &a = o.baselines[i], &b = r.baselines[i];
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(b.description, a.description);
    EXPECT_EQ(b.matmul_tf32, a.matmul_tf32);
    EXPECT_EQ(b.cudnn_tf32, a.cudnn_tf32);
    EXPECT_EQ(b.ok, a.ok);
    EXPECT_EQ(b.problem, a.problem);
    EXPECT_EQ(b.time.attested_us, a.time.attested_us);
    EXPECT_EQ(b.time.claimed_us, a.time.claimed_us);
    EXPECT_EQ(b.memory.claimed_peak_bytes, a.memory.claimed_peak_bytes);
    EXPECT_EQ(b.check.size(), a.check.size());
  }
  EXPECT_EQ(r.candidate_memory.claimed_base_bytes, o.candidate_memory.claimed_base_bytes);
  EXPECT_EQ(r.candidate_memory.observed_growth_bytes, o.candidate_memory.observed_growth_bytes);
  EXPECT_EQ(r.candidate_memory.input_bytes, o.candidate_memory.input_bytes);
  EXPECT_EQ(r.candidate_memory.output_bytes, o.candidate_memory.output_bytes);
  EXPECT_EQ(r.candidate_memory.state_bytes, o.candidate_memory.state_bytes);
  EXPECT_EQ(r.build.needed, o.build.needed);
  EXPECT_EQ(r.build.ok, o.build.ok);
  EXPECT_EQ(r.build.seconds, o.build.seconds);
  EXPECT_EQ(r.build.first_error, o.build.first_error);
  EXPECT_EQ(r.build.log, o.build.log);
}

TEST(ObservationJson, RoundTripKeepsLabelsOfTheSource) {
  const Observation o = full_observation(), r = reread(o);
  EXPECT_EQ(r.source_labels.state, "looked at in part");
  EXPECT_EQ(r.source_labels.why, "too long");
  EXPECT_EQ(r.source_labels.seconds, 0.25);
  ASSERT_EQ(r.source_labels.labels.size(), 2u);
  EXPECT_EQ(r.source_labels.labels[0].rule, "files");
  EXPECT_EQ(r.source_labels.labels[0].line, 3);
  EXPECT_EQ(r.source_labels.labels[0].column, 1);
  EXPECT_EQ(r.source_labels.labels[1].detail, "\x1b[2J \uFFFD");
  EXPECT_EQ(r.source_labels.left_out, o.source_labels.left_out);
}

TEST(ObservationJson, OneFromBeforeTheStaticLookSaysThatNobodyLooked) {
  auto older = nlohmann::json::parse(json(full_observation()));
  ASSERT_EQ(older.erase("source_labels"), 1u);
  const auto read = observation_from_json(older.dump(), "test");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->source_labels.state, "not looked at");
  EXPECT_TRUE(read->source_labels.why.empty());
  EXPECT_TRUE(read->source_labels.labels.empty());
}

TEST(ObservationJson, NoVerdictDependsOnLabelsOfTheSource) {
  for (Observation o : {test::good_observation(), full_observation()}) {
    for (const Protocol& protocol : builtin_protocols()) {
      o.source_labels = {};
      const std::string without = observation_to_json({}, {judge_observation(o, protocol)});
      for (const LookRule& rule : look_rules()) o.source_labels.labels.push_back({std::string(rule.id), 1, 1, "x"});
      o.source_labels.state = "looked at";
      EXPECT_EQ(observation_to_json({}, {judge_observation(o, protocol)}), without) << protocol.name;
      o.source_labels.state = "not looked at";
      o.source_labels.why = "the helper did not run";
      EXPECT_EQ(observation_to_json({}, {judge_observation(o, protocol)}), without) << protocol.name;
    }
  }
}

TEST(ObservationJson, AnEmptyObservationComesBack) {
  const Observation r = reread(Observation());
  EXPECT_FALSE(r.fault);
  EXPECT_FALSE(r.candidate_memory.claimed_peak_bytes);
  EXPECT_TRUE(r.cases.empty());
}

TEST(ObservationJson, DoublesAreExactAndNonfiniteOnesAreStrings) {
  Observation o;
  const double values[] = {0.1, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.123456789, 1e15, 1e16, 1e22, -0.0};
  o.null.attested_us.assign(std::begin(values), std::end(values));
  o.null.claimed_us = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::quiet_NaN()};
  const Observation r = reread(o);
  EXPECT_EQ(r.null.attested_us, o.null.attested_us);
  EXPECT_TRUE(std::signbit(r.null.attested_us.back()));
  ASSERT_EQ(r.null.claimed_us.size(), 3u);
  EXPECT_EQ(r.null.claimed_us[0], o.null.claimed_us[0]);
  EXPECT_EQ(r.null.claimed_us[1], o.null.claimed_us[1]);
  EXPECT_TRUE(std::isnan(r.null.claimed_us[2]));
  EXPECT_THAT(json(o), HasSubstr("\"-inf\""));
}

TEST(ObservationJson, SeedsAreDecimalStrings) {
  Observation o = full_observation();
  EXPECT_THAT(json(o), HasSubstr("\"seed\": \"18446744073709551615\""));
}

TEST(ObservationJson, InvalidUtf8IsReplaced) {
  Observation o;
  o.candidate_output = "ok \xff\xfe \xc3( done";
  o.constants = {{"\x80key", "1"}};
  const Observation r = reread(o);
  EXPECT_EQ(r.candidate_output, "ok \uFFFD\uFFFD \uFFFD( done");
  EXPECT_EQ(r.constants.count("\uFFFDkey"), 1u);
  EXPECT_EQ(json(r), json(o));
}

TEST(ObservationJson, ControlCharactersAndNulSurvive) {
  Observation o;
  o.candidate_output = std::string("a\0b\x1b[2J\x7f\r\n", 10);
  EXPECT_EQ(reread(o).candidate_output, o.candidate_output);
}

TEST(ObservationJson, VerdictsAreWrittenAndPassedOver) {
  const Observation o = full_observation();
  std::vector<Verdict> verdicts;
  for (const Protocol& protocol : builtin_protocols()) verdicts.push_back(judge_observation(test::good_observation(), protocol));
  verdicts[0].speed[0].speedup.high = std::numeric_limits<double>::infinity();
  const std::string text = observation_to_json(o, verdicts);
  EXPECT_THAT(text, HasSubstr("\"protocol\": \"attested\""));
  EXPECT_THAT(text, HasSubstr("\"memory_ratio\": 1.33333"));
  EXPECT_THAT(text, HasSubstr("\"high\": \"inf\""));
  EXPECT_THAT(text, HasSubstr("\"state\": \"passed\""));
  const auto read = observation_from_json(text, "test");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(json(*read), json(o));
}

TEST(ObservationJson, SchemaComesFirst) {
  EXPECT_EQ(json(Observation()).find("\"schema\": \"kbv-observation/5\""), 3u);
}

}  // namespace
}  // namespace kbv
