// SPDX-License-Identifier: MIT
// KernelBench's files into a campaign and out of it: `kbv import`, `kbv export`.
#include <filesystem>
#include <fstream>
#include <map>

#include "run_kbv.h"

namespace kbv::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class KernelBenchFiles : public WithTorch {
 protected:
  void SetUp() override {}  // most of it needs no Python

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    file(name, text);
  }
  /// Every file below a folder, by its path in there.
  std::map<std::string, std::string> contents(const std::string& folder) const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder)))
      if (entry.is_regular_file()) {
        std::ifstream in(entry.path(), std::ios::binary);
        all[fs::relative(entry.path(), path(folder)).string()] = {std::istreambuf_iterator<char>(in), {}};
      }
    return all;
  }
  nlohmann::json json_of(const std::string& name) const {
    return nlohmann::json::parse(std::ifstream(path(name)), nullptr, false);
  }

  void put_checkout() const {
    const std::string failed =
        R"("correctness": false, "metadata": {"max_difference": [NaN, "inf"], "compilation_error": "d\u00e9\udcff"}, "runtime": -1.0, "runtime_stats": {})";
    put("kb/runs/now_level1/eval_results.json",
        "{\n  \"1\": [{\"sample_id\": 0, \"compiled\": true, \"correctness\": true, \"metadata\": {}, \"runtime\": "
        "2.50,\n \"runtime_stats\": {\"mean\": 2.5}},"
        " {\"sample_id\": 1, \"compiled\": false, " +
            failed + "}]}");
    put("kb/runs/then/eval_results.json", "{\"20\": {\"sample_id\": 0, \"compiled\": true, " + failed + "}}");
    put("kb/runs/then/generation_config.yaml", "level: 2\nrun_name: 'then: 2025'\n");
    const std::string verified =
        "{\"3_4\": {\"sample_id\": 4, \"compiled\": true, \"peak_memory\": 4096, \"memory_stats\": {}, " + failed +
        "}}";
    put("kb/runs/v_level3_test/eval_results.json", verified);
    put("kb/runs/v_level3_test/eval_results_hidden.json", verified);
    put("kb/results/timing/H100/baseline_time_torch.json",
        "{\"level1\": {\"1_A.py\": {\"mean\": 1.50, \"peak_memory\": 1}, \"2_B.py\": null}}");
  }
};

TEST_F(KernelBenchFiles, WhatWasRecordedComesOutAsItWas) {
  put_checkout();
  const Ended first = kbv({"import", path("a.kbv"), path("kb")});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("run now_level1, level 1, standard tests: 2 results, 1 of them correct"),
                               HasSubstr("run then: 2025, level 2"), HasSubstr("level 3, hidden tests: 1 results"),
                               HasSubstr("5 results; 2 baselines")));
  const Ended again = kbv({"import", path("a.kbv"), path("kb/runs"), path("kb/results")});
  EXPECT_THAT(again.out, HasSubstr("5 results, 5 of them there already; 2 baselines, 2 of them there already"));

  const Ended out = kbv({"export", path("a.kbv"), "--protocol", "recorded", "--out", path("one")});
  ASSERT_EQ(out.code, 0) << out.err;
  ASSERT_EQ(kbv({"import", path("b.kbv"), path("one")}).code, 0);
  ASSERT_EQ(kbv({"export", path("b.kbv"), "--protocol", "recorded", "--out", path("two")}).code, 0);
  const auto one = contents("one");
  EXPECT_EQ(one, contents("two"));
  ASSERT_EQ(one.size(), 8u) << out.out;
  EXPECT_THAT(one.at("runs/now_level1/eval_results.json"),
              AllOf(HasSubstr("\"runtime\": 2.50,\n"), HasSubstr(R"([NaN, "inf"])"), HasSubstr(R"(\udcff)")));
  EXPECT_THAT(one.at("runs/then_ 2025/eval_results.json").substr(0, 40), HasSubstr("\"20\": ["));
}

TEST_F(KernelBenchFiles, AllOrNothing) {
  put_checkout();
  put("bad_level1/eval_results.json", "{\"1\": [{\"sample_id\": 0, \"compiled\": true}]}");
  const Ended bad = kbv({"import", path("a.kbv"), path("kb"), path("bad_level1")});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad_level1/eval_results.json: '1'[0]: correctness: missing"));
  EXPECT_FALSE(fs::exists(path("a.kbv")));
  put("unknown/eval_results.json", "{}");
  const Ended unknown = kbv({"import", path("a.kbv"), path("unknown")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--level"));
  EXPECT_EQ(kbv({"import", path("a.kbv"), path("unknown"), "--level", "1"}).code, 0);
  EXPECT_EQ(kbv({"import", path("a.kbv")}).code, 2);
  const Ended none = kbv({"export", path("a.kbv"), "--out", path("out")});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("it has no candidates"));
}

TEST_F(KernelBenchFiles, ARunIsWrittenForKernelBenchsScripts) {
  WithTorch::SetUp();
  if (IsSkipped()) return;
  ProblemText right;  // long enough to be told from an empty call on a busy machine
  right.inputs = "[torch.randn(512, 512)]";
  right.forward = "return torch.relu(x @ x)";
  ProblemText wrong = right;
  wrong.forward = "return x @ x";
  put("suite/level1/19_Relu.py", right.text());
  put("runs/mine/level_1_problem_19_sample_0_kernel.py", right.candidate());
  put("runs/mine/level_1_problem_19_sample_1_kernel.py", wrong.candidate());
  const Ended run = kbv({"run", path("runs"), "--suite", path("suite"), "--out", path("c.kbv"), "--device", "cpu",
                         "--jobs", "1", "--trials", "5", "--no-families", "--time-budget", "0.5", "--max-calls", "4"});
  ASSERT_TRUE(fs::exists(path("c.kbv"))) << run.out << run.err;
  const Ended out = kbv({"export", path("c.kbv"), "--out", path("kb"), "--protocol", "verified"});
  ASSERT_EQ(out.code, 0) << out.err;
  const auto standard = json_of("kb/runs/mine/eval_results.json"),
             hidden = json_of("kb/runs/mine/eval_results_hidden.json");
  EXPECT_EQ(standard["19_0"]["correctness"], true) << standard;
  EXPECT_EQ(hidden["19_0"]["correctness"], true) << hidden;
  EXPECT_GT(standard["19_0"]["runtime"], 0) << standard << kbv({"show", path("c.kbv"), "1"}).out;
  EXPECT_EQ(standard["19_1"]["correctness"], false);
  EXPECT_EQ(standard["19_1"]["metadata"]["correctness_issue_name"], "wrong_output");
  int baselines = 0;
  for (const auto& [name, text] : contents("kb/results/timing")) {
    if (name.find("baseline_time_torch.json") == std::string::npos) continue;
    ++baselines;
    EXPECT_GT(nlohmann::json::parse(text)["level1"]["19_Relu.py"]["mean"], 0);
  }
  EXPECT_EQ(baselines, 1);
  EXPECT_FALSE(fs::exists(path("kb/runs/mine/pass_at_k_results.json"))) << "KernelBench-Verified has none";

  ASSERT_EQ(kbv({"export", path("c.kbv"), "--out", path("today"), "--protocol", "kernelbench", "-k", "1,2"}).code, 0);
  const auto results = json_of("today/runs/mine/eval_results.json")["19"],
             passes = json_of("today/runs/mine/pass_at_k_results.json");
  EXPECT_EQ(results.size(), 2u);
  EXPECT_EQ(passes["problems"]["19"],
            nlohmann::json::parse(R"({"total_samples": 2, "correct_samples": 1, "pass@1": 0.5, "pass@2": 1.0})"));
  EXPECT_EQ(passes["averages"], nlohmann::json::parse(R"({"avg_pass@1": 0.5, "avg_pass@2": 1.0})"));
  EXPECT_TRUE(fs::exists(path("kb/runs/mine/level_1_problem_19_sample_1_kernel.py")));
}

}  // namespace
}  // namespace kbv::test
