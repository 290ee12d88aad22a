// SPDX-License-Identifier: MIT
#include "store/kernelbench_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "problem/run_folder.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string k_entry = R"({"sample_id": 0, "compiled": true, "correctness": true, "runtime": 2.5})";
const std::string k_results = "{\"1\": [" + k_entry + "]}";

class KernelBenchFolder : public testing::Test {
 protected:
  KernelBenchFolder() {
    std::string name = (fs::temp_directory_path() / "kbv-files-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~KernelBenchFolder() override { fs::remove_all(folder_); }

  void file(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }

  KernelBenchFiles take(const std::vector<std::string>& paths, const KernelBenchSource& source = {}) {
    auto files = read_kernelbench_files(paths, source);
    EXPECT_TRUE(files) << (files ? "" : files.error().message);
    return files ? std::move(*files) : KernelBenchFiles();
  }
  std::string complaint(const std::vector<std::string>& paths, const KernelBenchSource& source = {}) {
    const auto files = read_kernelbench_files(paths, source);
    if (files) return "no complaint";
    EXPECT_EQ(files.error().fault, Fault::usage) << files.error().message;
    return files.error().message;
  }

  fs::path folder_;
};

TEST_F(KernelBenchFolder, ARunFolderTellsItsNameAndLevel) {
  file("r1/eval_results.json", k_results);
  file("r1/eval_results_hidden.json", "{\"1_0\": " + k_entry + "}");
  file("r1/eval_results old.json", "{");
  file("r1/generation_config.yaml",
       "# comment\nlevel: 3\nrun_name: 'it''s mine'\nsubset:\n- null\n- null\nnested:\n  level: 9\n");
  file("r1/level_3_problem_1_sample_0_kernel.py", "");
  const auto files = take({path("r1")});
  ASSERT_THAT(files.results, SizeIs(2));
  EXPECT_EQ(files.results[0].run, "it's mine");
  EXPECT_EQ(files.results[0].level, 3);
  EXPECT_THAT((std::vector<std::string>{files.results[0].tests, files.results[1].tests}),
              testing::UnorderedElementsAre("standard", "hidden"));
  EXPECT_THAT(files.taken, SizeIs(2));
  EXPECT_THAT(files.notes,
              ElementsAre(HasSubstr("eval_results old.json: not taken"), HasSubstr("1 candidates are not taken")));

  const auto named = take({path("r1/eval_results.json")}, {"other", 2});
  ASSERT_THAT(named.results, SizeIs(1));
  EXPECT_EQ(named.results[0].run, "other");
  EXPECT_EQ(named.results[0].level, 2);
}

TEST_F(KernelBenchFolder, ALevelIsGuessedOnlyWhereSomethingTellsIt) {
  file("model_level2_test/eval_results.json", k_results);
  file("plain/eval_results.json", k_results);
  file("files/eval_results.json", k_results);
  file("files/level_4_problem_1_sample_0_kernel.py", "");
  file("both/eval_results.json", k_results);
  file("both/level_1_problem_1_sample_0_kernel.py", "");
  file("both/level_2_problem_1_sample_0_kernel.py", "");
  EXPECT_EQ(take({path("model_level2_test")}).results[0].level, 2);
  EXPECT_EQ(take({path("model_level2_test") + "/"}).results[0].run, "model_level2_test");
  EXPECT_EQ(take({path("files")}).results[0].level, 4);
  EXPECT_THAT(complaint({path("plain")}), HasSubstr("of which level"));
  EXPECT_THAT(complaint({path("both")}), HasSubstr("say it with --level"));
  EXPECT_EQ(take({path("plain")}, {"", 1}).results[0].level, 1);

  EXPECT_EQ(level_of_run("level_2_backend_cuda"), 2);
  EXPECT_EQ(level_of_run("m-level-12"), 12);
  for (const char* name : {"", "levels", "level", "level_x", "level1_and_level2", "level1234567890123"})
    EXPECT_EQ(level_of_run(name), std::nullopt) << name;
}

TEST_F(KernelBenchFolder, ACheckoutIsSearched) {
  file("runs/a_level1/eval_results.json", k_results);
  file("runs/b_level1/eval_results.json", k_results);
  file("runs/empty_level1/generation_config.yaml", "level: 1\n");
  file("runs/other/problem_1_kernel.py", "");
  file("results/timing/H100/baseline_time_torch.json", "{\"level1\": {\"1_A.py\": {\"mean\": 1.5}, \"2_B.py\": null}}");
  file("results/timing/H100/baseline_times.json", "{");
  file(".git/eval_results.json", "{");
  file("a/b/c/d/eval_results.json", "{");
  const auto files = take({path()});
  EXPECT_THAT(files.results, SizeIs(2));
  ASSERT_THAT(files.baselines, SizeIs(2));
  EXPECT_EQ(files.baselines[0].hardware, "H100");
  EXPECT_EQ(files.baselines[0].name, "torch");
  EXPECT_THAT(files.notes, ElementsAre(HasSubstr("baseline_times.json: not taken"),
                                       HasSubstr("empty_level1: not taken: a run without"),
                                       HasSubstr("other: not taken: a run without")));
  EXPECT_THAT(complaint({path("runs")}, {"one", 1}), HasSubstr("--run names one run, but results are in"));
  EXPECT_THAT(complaint({path("runs/a_level1"), path("runs/a_level1/eval_results.json")}),
              HasSubstr("two files say something of run a_level1"));
  EXPECT_THAT(complaint({path("results"), path("results/timing/H100")}),
              HasSubstr("two files say something of 1_A, torch on H100"));
}

TEST_F(KernelBenchFolder, WhatIsNotThereOrNotOfTheKind) {
  file("some.json", "{}");
  file("empty/x.txt", "");
  file("bad_level1/eval_results.json", "{\"1\": 5}");
  file("config/eval_results.json", k_results);
  file("config/generation_config.yaml", "level: two\n");
  file("quotes/eval_results.json", k_results);
  file("quotes/generation_config.yaml", "run_name: \"x\n");
  file("escape_level1/eval_results.json", k_results);
  file("escape_level1/generation_config.yaml", "run_name: \"a\\u001b[2J\"\n");
  EXPECT_THAT(complaint({path("none")}), HasSubstr("no such file"));
  EXPECT_THAT(complaint({path("some.json")}), HasSubstr("its name is not one of KernelBench's"));
  EXPECT_THAT(complaint({path("empty")}), HasSubstr("no eval_results*.json"));
  EXPECT_THAT(complaint({path("bad_level1")}), HasSubstr("bad_level1/eval_results.json: '1': expected an object"));
  EXPECT_THAT(complaint({path("config")}), HasSubstr("generation_config.yaml: level: expected a number, got two"));
  EXPECT_THAT(complaint({path("quotes")}), HasSubstr("run_name: quotes that do not end"));
  EXPECT_THAT(complaint({path("escape_level1")}), HasSubstr("printable ASCII"));
  ::symlink("/dev/zero", path("eval_results.json").c_str());
  EXPECT_THAT(complaint({path("eval_results.json")}, {"r", 1}), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace kbv
