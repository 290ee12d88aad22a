// SPDX-License-Identifier: MIT
// A campaign written as KernelBench's files, and taken back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../score/sample_observation.h"
#include "base/secret.h"
#include "cli/verbs.h"
#include "store/campaign.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ExportVerb : public testing::Test {
 protected:
  ExportVerb() {
    std::string name = (fs::temp_directory_path() / "kbv-export-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ExportVerb() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  nlohmann::json json(const std::string& name) const { return nlohmann::json::parse(text(name), nullptr, false); }

  std::unique_ptr<Campaign> open(const std::string& name = "c.kbv") {
    auto campaign = Campaign::open(path(name));
    EXPECT_TRUE(campaign) << campaign.error().message;
    return std::move(*campaign);
  }
  void add(Campaign& campaign, const std::string& run, int level, int number, int sample,
           const std::optional<Observation>& observation) {
    const std::string problem = "class Model: pass  # " + std::to_string(level * 1000 + number),
                      source = "class ModelNew: pass\n";
    const auto id =
        campaign.add_problem({0, level, number, std::to_string(number) + "_Thing", sha256_hex(problem), problem});
    ASSERT_TRUE(id) << id.error().message;
    const auto candidate = campaign.add_candidate({0, run, *id, sample, "x.py", sha256_hex(source), source});
    ASSERT_TRUE(candidate) << candidate.error().message;
    if (observation) ASSERT_TRUE(campaign.add_observation(*candidate, *observation));
  }

  /// The exit code; what was printed is in `out` and `err`.
  int run(int (*verb)(const ExportOptions&), const ExportOptions& options) {
    return captured([&] { return verb(options); });
  }
  template <typename Verb>
  int captured(Verb verb) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = verb();
    std::fflush(stdout);
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }
  ExportOptions options(const std::string& protocol, const std::string& to = "out") {
    ExportOptions options;
    options.campaign = path("c.kbv");
    options.folder = path(to);
    options.protocol = protocol;
    return options;
  }

  std::string out, err;
  fs::path folder_;
};

Observation wrong() {
  Observation o = test::good_observation();
  for (auto& result : o.cases)
    if (result.id == "hidden-D4") result.outputs = {test::make_output({0, 0}, {-1, -2})};
  return o;
}

TEST_F(ExportVerb, WritesRunsAndBaselines) {
  {
    auto campaign = open();
    add(*campaign, "opus", 1, 19, 0, test::good_observation());
    add(*campaign, "opus", 1, 19, 1, wrong());
    add(*campaign, "opus", 1, 2, 0, std::nullopt);
    Observation broken = test::good_observation();
    broken.fault = Error{Fault::machine, "device_lost", "gone", ""};
    add(*campaign, "opus", 1, 3, 0, broken);
  }
  ASSERT_EQ(run(run_export, options("verified")), 0) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("and 4 candidates"), HasSubstr("1 sample has no entry: not evaluated"),
                         HasSubstr("1 sample has no entry: machine_error")));
  const auto standard = json("out/runs/opus/eval_results.json"),
             hidden = json("out/runs/opus/eval_results_hidden.json");
  ASSERT_EQ(standard.size(), 2u) << standard;
  EXPECT_EQ(standard["19_1"]["correctness"], true);
  EXPECT_EQ(hidden["19_0"]["correctness"], true);
  EXPECT_EQ(hidden["19_1"]["correctness"], false);
  EXPECT_EQ(text("out/runs/opus/level_1_problem_2_sample_0_kernel.py"), "class ModelNew: pass\n");
  EXPECT_THAT(text("out/runs/opus/generation_config.yaml"),
              AllOf(HasSubstr("run_name: \"opus\""), HasSubstr("level: 1"), HasSubstr("num_samples: 2")));
  const auto eager = json("out/results/timing/NVIDIA_H200/baseline_time_torch.json");
  EXPECT_NEAR(eager["level1"]["19_Thing.py"]["mean"], 0.030, 1e-9);
  EXPECT_TRUE(fs::exists(path("out/results/timing/NVIDIA_H200/baseline_time_torch_tf32.json")));

  EXPECT_EQ(run(run_export, options("verified")), 2);
  EXPECT_THAT(err, HasSubstr("nothing is overwritten"));
  ASSERT_EQ(run(run_export, options("kernelbench", "plain")), 0) << err;
  const auto plain = json("plain/runs/opus/eval_results.json");
  EXPECT_EQ(plain["19"].size(), 2u);
  EXPECT_EQ(plain["19"][1]["sample_id"], 1);
  EXPECT_EQ(plain["19"][1]["correctness"], true) << "KernelBench does not look at D4";
  EXPECT_FALSE(fs::exists(path("plain/runs/opus/eval_results_hidden.json")));
  ASSERT_EQ(run(run_export, options("attested", "strict")), 0) << err;
  EXPECT_EQ(json("strict/runs/opus/eval_results.json")["19"][1]["correctness"], false);
}

TEST_F(ExportVerb, OneFolderForEachLevelAndNoneOutsideOfIt) {
  {
    auto campaign = open();
    Observation untimed = test::good_observation();
    untimed.candidate_time = {};
    add(*campaign, "../Qwen/3", 1, 1, 0, test::good_observation());
    add(*campaign, "../Qwen/3", 2, 1, 0, untimed);
  }
  ASSERT_EQ(run(run_export, options("attested")), 0) << err;
  EXPECT_TRUE(fs::exists(path("out/runs/_.._Qwen_3_level1/eval_results.json"))) << out;
  EXPECT_TRUE(fs::exists(path("out/runs/_.._Qwen_3_level2/eval_results.json"))) << out;
  EXPECT_THAT(out, HasSubstr("1 correct sample has no time"));
  EXPECT_THAT(text("out/runs/_.._Qwen_3_level2/generation_config.yaml"), HasSubstr("run_name: \"../Qwen/3\""));

  ExportOptions one = options("attested", "one");
  one.run = "nobody";
  EXPECT_EQ(run(run_export, one), 2);
  EXPECT_THAT(err, HasSubstr("no candidates of run nobody"));
  EXPECT_FALSE(fs::exists(path("one")));
}

TEST_F(ExportVerb, ImportedItReadsAsWhatWasWritten) {
  {
    auto campaign = open();
    add(*campaign, "opus", 1, 19, 0, test::good_observation());
    add(*campaign, "opus", 2, 7, 3, wrong());
  }
  ASSERT_EQ(run(run_export, options("verified")), 0) << err;
  ImportOptions import;
  import.campaign = path("again.kbv");
  import.paths = {path("out")};
  ASSERT_EQ(captured([&] { return run_import(import); }), 0) << err;
  EXPECT_THAT(out, HasSubstr("4 results; 4 baselines"));
  auto again = Campaign::read(path("again.kbv"));
  const auto rows = (*again)->recorded();
  ASSERT_EQ(rows->size(), 4u);
  EXPECT_EQ(rows->at(0).run, "opus");
  EXPECT_EQ(rows->at(0).tests, "hidden");
  EXPECT_EQ(rows->at(2).level, 2);
  EXPECT_FALSE(rows->at(2).correct);
  EXPECT_NEAR(*rows->at(1).runtime_ms, 0.020, 1e-9);
  EXPECT_EQ(rows->at(1).peak_bytes, 12u << 20);
}

TEST_F(ExportVerb, RefusesWhatItCanNot) {
  {
    auto campaign = open();
  }
  EXPECT_EQ(run(run_export, options("attested")), 2);
  EXPECT_THAT(err, HasSubstr("it has no candidates"));
  EXPECT_EQ(run(run_export, options("nonsense")), 2);
  EXPECT_EQ(run(run_export, options("recorded")), 2);
  EXPECT_THAT(err, HasSubstr("it has no recorded results"));
  ExportOptions formatted = options("recorded");
  formatted.format = "verified";
  EXPECT_EQ(run(run_export, formatted), 2);
  ExportOptions missing = options("attested");
  missing.campaign = path("none.kbv");
  EXPECT_EQ(run(run_export, missing), 2);
  // A campaign is a file that anybody may have edited.
  {
    auto campaign = open();
    RecordedResult row{"run", 1, 1, 0, "kernelbench", "../../../x", true, true, {}, {}, "{}"};
    ASSERT_TRUE(campaign->add_recorded(row));
  }
  EXPECT_EQ(run(run_export, options("recorded")), 2);
  EXPECT_THAT(err, HasSubstr("names no file of results"));
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace kbv
