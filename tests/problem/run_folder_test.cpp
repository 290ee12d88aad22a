// SPDX-License-Identifier: MIT
#include "problem/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class RunFolders : public testing::Test {
 protected:
  RunFolders() {
    std::string name = (fs::temp_directory_path() / "kbv-runs-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~RunFolders() override { fs::remove_all(folder_); }
  void file(const std::string& name, const std::string& text = "") {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }
  /// "run 1/19/0" of each candidate.
  static std::vector<std::string> places(const Result<RunFolder>& found) {
    std::vector<std::string> all;
    if (!found) return {found.error().message};
    for (const auto& one : found->candidates)
      all.push_back(one.run + " " + std::to_string(one.level) + "/" + std::to_string(one.number) + "/" +
                    std::to_string(one.sample));
    return all;
  }
  fs::path folder_;
};

TEST_F(RunFolders, KernelBenchsOwn) {
  file("gemini/level_1_problem_19_sample_0_kernel.py");
  file("gemini/level_1_problem_2_sample_10_kernel.py");
  file("gemini/level_2_problem_1_sample_0_kernel.py");
  file("gemini/level_1_problem_2_sample_10_prompt.txt");
  file("gemini/eval_results.json");
  file("gemini/generation_config.yaml", "level: 1\nprecision: fp32\nsubset:\n- null\n");
  const auto found = read_run_folder(path("gemini"));
  EXPECT_THAT(places(found), ElementsAre("gemini 1/2/10", "gemini 1/19/0", "gemini 2/1/0"));
  EXPECT_EQ(found->runs.at("gemini"), "fp32");
  EXPECT_TRUE(found->skipped.empty());
}

TEST_F(RunFolders, NamesWithoutLevelOrSample) {
  file("opus4_level2_20250903_065424/problem_10_kernel.py");
  file("opus4_level2_20250903_065424/problem_9_sample_3_kernel.py");
  EXPECT_THAT(places(read_run_folder(path("opus4_level2_20250903_065424"))),
              ElementsAre("opus4_level2_20250903_065424 2/9/3", "opus4_level2_20250903_065424 2/10/0"));
  file("level_3_backend_triton_model_m/problem_1_kernel.py");
  EXPECT_THAT(places(read_run_folder(path("level_3_backend_triton_model_m"))),
              ElementsAre("level_3_backend_triton_model_m 3/1/0"));
  file("named/problem_4_kernel.py");
  EXPECT_THAT(places(read_run_folder(path("named"))), ElementsAre(HasSubstr("give it with --level")));
  EXPECT_THAT(places(read_run_folder(path("named"), 2)), ElementsAre("named 2/4/0"));
  file("named/generation_config.yaml", "level: 3");
  EXPECT_THAT(places(read_run_folder(path("named"), 2)), ElementsAre("named 3/4/0")) << "the folder knows better";
}

TEST_F(RunFolders, OneFolderACandidate) {
  file("v3_level1/kernel_19_ReLU_py/generated_code.py");
  file("v3_level1/kernel_19_ReLU_py/reference.py");
  file("v3_level1/kernel_2_Standard_py/metrics.yaml");
  EXPECT_THAT(places(read_run_folder(path("v3_level1"))), ElementsAre("v3_level1 1/19/0"));
}

TEST_F(RunFolders, AFolderOfRuns) {
  file("a_level1_test/level_1_problem_1_sample_0_kernel.py");
  file("b_level1_test_bf16/level_1_problem_1_sample_0_kernel.py");
  file("b_level1_test_bf16/generation_config.yaml", "precision: 'bf16'\n");
  file("deep/er/level_1_problem_1_sample_0_kernel.py");
  file(".git/level_1_problem_1_sample_0_kernel.py");
  const auto found = read_run_folder(path());
  EXPECT_THAT(places(found), ElementsAre("a_level1_test 1/1/0", "b_level1_test_bf16 1/1/0", "deep/er 1/1/0"));
  EXPECT_EQ(found->runs.at("b_level1_test_bf16"), "bf16");
}

TEST_F(RunFolders, WhatIsNoCandidateIsTold) {
  file("r/level_1_problem_1_sample_0_kernel.py");
  for (const char* name : {"level_1_problem_x_sample_0_kernel.py", "level_1_problem_1_sample_0.py",
                           "level_1_problem_1_sample_0_extra_kernel.py", "level_1_problem_-1_kernel.py",
                           "level_1_problem_99999999999_kernel.py", "kernel.py"})
    file(std::string("r/") + name);
  const auto found = read_run_folder(path("r"));
  EXPECT_THAT(places(found), ElementsAre("r 1/1/0"));
  EXPECT_EQ(found->skipped.size(), 6u);
  EXPECT_THAT(places(read_run_folder(path("nowhere"))), ElementsAre(HasSubstr("not a folder")));
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(places(read_run_folder(path("empty"))), ElementsAre(HasSubstr("no candidates")));
}

TEST_F(RunFolders, TwoFilesForOneSampleAreAnError) {
  file("r/level_1_problem_1_sample_0_kernel.py");
  file("r/level_1_problem_1_kernel.py");
  EXPECT_THAT(places(read_run_folder(path("r"))), ElementsAre(HasSubstr("is ")));
  EXPECT_EQ(read_run_folder(path("r")).error().fault, Fault::usage);
}

TEST_F(RunFolders, AnOddConfigurationIsReadAsFarAsItGoes) {
  file("r/generation_config.yaml",
       std::string("level:1\n: x\n\xff\xfe: y\nrun_name: \"a: b\"\r\n  nested: 1\n# no: comment\n") +
           std::string(5000, ':'));
  const auto config = read_generation_config(path("r"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->at("run_name"), "a: b");
  EXPECT_EQ(config->count("nested"), 0u);
}

}  // namespace
}  // namespace kbv
