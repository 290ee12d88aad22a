// SPDX-License-Identifier: MIT
#include "store/kernelbench_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "../score/sample_observation.h"
#include "store/kernelbench_results.h"

namespace kbv {
namespace {

using testing::HasSubstr;

struct Entry {
  std::optional<RecordedResult> result;
  std::string code;
  nlohmann::json json;
};

Entry entry(const Observation& observation, const Protocol& protocol, ResultsFormat format = ResultsFormat::kernelbench,
            const std::string& tests = "standard") {
  RecordedResult of;
  of.run = "run";
  of.level = 1;
  of.number = 19;
  of.sample = 2;
  of.tests = tests;
  Entry entry;
  entry.result = entry_of(of, observation, protocol, format, entry.code);
  if (!entry.result) return entry;
  entry.json = nlohmann::json::parse(entry.result->json);
  // What is written reads again as what was meant.
  const auto text = write_results({*entry.result});
  EXPECT_TRUE(text) << text.error().message;
  return entry;
}

Entry entry(const Observation& observation, const char* protocol) {
  return entry(observation, test::protocol(protocol));
}

TEST(KernelBenchEntry, OfACorrectOne) {
  const Entry e = entry(test::good_observation(), "kernelbench");
  ASSERT_TRUE(e.result);
  EXPECT_EQ(e.code, "correct");
  EXPECT_TRUE(e.result->compiled && e.result->correct);
  EXPECT_EQ(e.json["sample_id"], 2);
  EXPECT_EQ(e.json["compiled"], true);
  EXPECT_EQ(e.json["correctness"], true);
  EXPECT_NEAR(e.json["runtime"], 0.020, 1e-9) << "20 us, in ms";
  EXPECT_EQ(e.json["metadata"]["hardware"], "NVIDIA H200");
  EXPECT_EQ(e.json["metadata"]["correctness_trials"], "(5 / 5)");
  EXPECT_EQ(e.json["metadata"]["kbv"]["code"], "correct");
  EXPECT_EQ(e.json["metadata"]["kbv"]["protocol"], "kernelbench");
  EXPECT_EQ(e.json["metadata"]["kbv"]["secret"], std::string(64, 'c'));
  EXPECT_NEAR(e.json["metadata"]["kbv"]["speedup"]["value"], 1.5, 1e-6);
  const auto& stats = e.json["runtime_stats"];
  EXPECT_NEAR(stats["mean"], 0.020, 1e-9);
  EXPECT_EQ(stats["num_trials"], 11);
  EXPECT_LT(stats["min"], stats["mean"]);
  EXPECT_GT(stats["max"], stats["mean"]);
  // 11 rounds whose times are -5 to 5 steps of 0.2 us around 320, and whose nulls are as many of 0.1 us around 300.
  EXPECT_NEAR(stats["std"], 0.1e-3 * std::sqrt(10.0), 1e-9);
  EXPECT_FALSE(e.json.contains("peak_memory"));
}

TEST(KernelBenchEntry, OfAWrongOne) {
  Observation o = test::good_observation();
  o.cases[1].outputs = {test::make_output({1, 2, 4}, {1, 2.5, 4})};
  const Entry e = entry(o, "kernelbench");
  EXPECT_FALSE(e.result->correct);
  EXPECT_TRUE(e.result->compiled);
  EXPECT_EQ(e.json["runtime"], -1.0);
  EXPECT_TRUE(e.json["runtime_stats"].empty());
  EXPECT_EQ(e.json["metadata"]["correctness_trials"], "(4 / 5)");
  EXPECT_EQ(e.json["metadata"]["max_difference"], nlohmann::json({"0.500000"}));
  EXPECT_EQ(e.json["metadata"]["avg_difference"], nlohmann::json({"0.166667"}));
  EXPECT_EQ(e.json["metadata"]["correctness_issue_name"], "wrong_output");
  EXPECT_EQ(e.json["metadata"]["correctness_issue"], e.json["metadata"]["kbv"]["reason"]);
}

TEST(KernelBenchEntry, SaysHowFarOneCame) {
  Observation crashed = test::good_observation();
  test::fail_from(crashed, "trial-0", {Fault::candidate, "crash", "it died of signal 11", ""});
  const Entry crash = entry(crashed, "attested");
  EXPECT_TRUE(crash.result->compiled);
  EXPECT_EQ(crash.json["metadata"]["runtime_error_name"], "crash");
  EXPECT_FALSE(crash.json["metadata"].contains("correctness_trials")) << "none ran";

  Observation unbuilt = test::good_observation();
  unbuilt.build = {true, false, 3, "x.cu(3): error: no", "log"};
  test::fail_from(unbuilt, "trial-0", {Fault::candidate, "build_error", "it does not compile", ""});
  const Entry build = entry(unbuilt, "attested");
  EXPECT_FALSE(build.result->compiled);
  EXPECT_THAT(build.json["metadata"]["compilation_error"].get<std::string>(), HasSubstr("x.cu(3): error: no"));

  test::fail_from(unbuilt, "trial-0", {Fault::candidate, "timeout", "it took too long to build", ""});
  EXPECT_FALSE(entry(unbuilt, "attested").result->compiled);
}

TEST(KernelBenchEntry, NoVerdictIsNoEntry) {
  Observation o = test::good_observation();
  o.fault = Error{Fault::machine, "device_lost", "gone", ""};
  const Entry machine = entry(o, "kernelbench");
  EXPECT_FALSE(machine.result);
  EXPECT_EQ(machine.code, "machine_error");
}

TEST(KernelBenchEntry, WithoutATimeThereIsMinusOne) {
  Observation o = test::good_observation();
  o.candidate_time = {};
  const Entry e = entry(o, "kernelbench");
  EXPECT_TRUE(e.result->correct);
  EXPECT_EQ(e.json["runtime"], -1.0);
}

TEST(KernelBenchEntry, VerifiedTellsStandardAndHiddenApart) {
  Observation o = test::good_observation();
  test::case_of(o, "hidden-D4").outputs = {test::make_output({0, 0}, {-1, -2})};
  const Protocol rules = test::protocol("verified");
  const Entry standard = entry(o, standard_rules(rules), ResultsFormat::verified);
  EXPECT_TRUE(standard.result->correct);
  EXPECT_EQ(standard.result->harness, "verified");
  EXPECT_EQ(standard.json["peak_memory"], 12u << 20) << "the allocator's peak and the inputs";
  EXPECT_EQ(standard.json["memory_stats"]["peak_bytes"], 12u << 20);
  EXPECT_EQ(standard.json["metadata"]["correctness_trials"], "(1 / 1)");
  const Entry hidden = entry(o, hidden_rules(rules), ResultsFormat::verified, "hidden");
  EXPECT_FALSE(hidden.result->correct);
  EXPECT_EQ(hidden.json["peak_memory"], -1.0);
  EXPECT_EQ(hidden.json["metadata"]["hidden_failed_configs"], nlohmann::json({"config_4"}));

  const Entry passed =
      entry(test::good_observation(), hidden_rules(test::protocol("kernelbench")), ResultsFormat::verified, "hidden");
  EXPECT_TRUE(passed.result->correct);
  EXPECT_EQ(passed.json["metadata"]["hidden_correctness_trials"], "(4/4 hidden configs passed)");
}

TEST(KernelBenchEntry, TextOfACandidateIsMadeUtf8) {
  Observation o = test::good_observation();
  test::fail_from(o, "trial-0", {Fault::candidate, "runtime_error", "bad \xff\xfe byte", ""});
  EXPECT_TRUE(entry(o, "kernelbench").result);
}

TEST(BaselineCollector, TakesTheMedianOverObservations) {
  BaselineCollector collector;
  for (const double extra_us : {0.0, 10.0, 40.0}) {
    Observation o = test::good_observation();
    o.baselines = {test::make_baseline("eager", 30 + extra_us), test::make_baseline("tf32_on", 25),
                   test::make_baseline("compile", 10)};
    o.baselines.push_back(test::make_baseline("other", 1));
    o.baselines[1].ok = extra_us > 0;
    collector.add(1, "19_ReLU", o);
  }
  Observation half = test::good_observation();
  half.precision = "bf16";
  half.machine.device = "";
  collector.add(1, "19_ReLU", half);
  const auto rows = collector.take();
  std::map<std::pair<std::string, std::string>, RecordedBaseline> by_name;
  for (const auto& row : rows) by_name[{row.hardware, row.name}] = row;
  ASSERT_EQ(by_name.size(), 5u);
  const RecordedBaseline& eager = by_name.at({"NVIDIA_H200", "torch"});
  EXPECT_EQ(eager.problem, "19_ReLU");
  EXPECT_NEAR(*eager.mean_ms, 0.040, 1e-9);
  EXPECT_EQ(eager.peak_bytes, 16u << 20);
  const auto json = nlohmann::json::parse(eager.json);
  EXPECT_EQ(json["mean"], *eager.mean_ms);
  EXPECT_NEAR(json["min"], 0.030, 1e-9);
  EXPECT_NEAR(json["max"], 0.070, 1e-9);
  EXPECT_EQ(json["num_trials"], 33);
  EXPECT_EQ(json["kbv"]["observations"], 3);
  EXPECT_EQ(nlohmann::json::parse(by_name.at({"NVIDIA_H200", "torch_tf32"}).json)["kbv"]["observations"], 2);
  EXPECT_TRUE(by_name.contains({"NVIDIA_H200", "torch_compile_inductor_default"}));
  EXPECT_TRUE(by_name.contains({"unknown", "torch_bf16"}));
  EXPECT_TRUE(by_name.contains({"unknown", "torch_tf32_bf16"}));
  EXPECT_TRUE(write_baselines({eager}));
}

void collect_keys(const nlohmann::json& json, std::set<std::string>& keys) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(key);
    if (value.is_structured()) collect_keys(value, keys);
  }
}

TEST(KernelBenchEntry, DocumentationNamesEveryField) {
  std::set<std::string> keys;
  Observation o = test::good_observation();
  collect_keys(entry(o, hidden_rules(test::protocol("attested")), ResultsFormat::verified, "hidden").json, keys);
  o.cases[1].outputs = {test::make_output({1, 2, 4}, {1, 2.5, 4})};
  collect_keys(entry(o, "verified").json, keys);
  ASSERT_GT(keys.size(), 20u);
  std::ifstream file(KBV_DOCS_DIR "/kernelbench-files.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& key : keys) {
    const bool named =
        text.find("`" + key + "`") != std::string::npos || text.find("." + key + "`") != std::string::npos;
    EXPECT_TRUE(named || (key.size() > 5 && key.ends_with("_name")))
        << "docs/kernelbench-files.md does not name " << key;
  }
}

}  // namespace
}  // namespace kbv
