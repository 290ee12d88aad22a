// SPDX-License-Identifier: MIT
#include "problem/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/secret.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Suites : public testing::Test {
 protected:
  Suites() {
    std::string name = (fs::temp_directory_path() / "kbv-suite-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    ::setenv("KBV_DATA", KBV_SOURCE, 1);
  }
  ~Suites() override {
    ::unsetenv("XDG_STATE_HOME");
    ::unsetenv("KBV_DATA");
    fs::remove_all(folder_);
  }
  void file(const std::string& name, const std::string& text = "class Model: ...") {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }
  fs::path folder_;
};

TEST_F(Suites, LevelsOfACheckout) {
  file("kb/KernelBench/level1/19_ReLU.py", "relu");
  file("kb/KernelBench/level1/2_Standard.py");
  file("kb/KernelBench/level1/90_cumprod.py.eval_backup");
  file("kb/KernelBench/level1/notes.py");
  file("kb/KernelBench/level1/7.py");
  file("kb/KernelBench/level2/1_Conv2D_ReLU.py");
  file("kb/KernelBench/level4/1_Big.py");
  file("kb/README.md");
  for (const char* folder : {"kb", "kb/KernelBench"}) {
    const auto suite = read_suite(path(folder));
    ASSERT_TRUE(suite) << suite.error().message;
    ASSERT_EQ(suite->problems.size(), 3u);
    EXPECT_EQ(suite->problems[0].number, 2) << "by number, not by name";
    EXPECT_EQ(suite->problems[1].name, "19_ReLU");
    EXPECT_EQ(suite->problems[1].sha256, sha256_hex("relu"));
    EXPECT_EQ(suite->problems[2].level, 2);
    EXPECT_EQ(suite->version, "unknown");
    EXPECT_THAT(suite->skipped, ElementsAre(HasSubstr("7.py"), HasSubstr("90_cumprod.py.eval_backup"),
                                            HasSubstr("notes.py"), HasSubstr("level4")));
    EXPECT_EQ(suite->find(1, 19)->name, "19_ReLU");
    EXPECT_EQ(suite->find(2, 19), nullptr);
  }
}

TEST_F(Suites, TwoFilesOfOneNumberAreAnError) {
  file("level1/3_A.py");
  file("level1/3_B.py");
  const auto suite = read_suite(path());
  ASSERT_FALSE(suite);
  EXPECT_THAT(suite.error().message, HasSubstr("level 1 no. 3 is 3_A too"));
}

TEST_F(Suites, WhatIsNoSuiteSaysWhatIsMissing) {
  EXPECT_THAT(read_suite(path("nowhere")).error().message, HasSubstr("not a folder"));
  EXPECT_THAT(read_suite(path()).error().message, HasSubstr("no folder level1"));
  fs::create_directories(folder_ / "level1");
  EXPECT_THAT(read_suite(path()).error().message, HasSubstr("no problems"));
  file("numbered/suite.toml", "problem = [{level = 1, number = 0, file = 'a.py'}]");
  EXPECT_THAT(read_suite(path("numbered")).error().message, HasSubstr("problem 1: number"));
  file("numbered/suite.toml", "problem = [{level = 1, number = 1, file = '../a.py'}]");
  EXPECT_THAT(read_suite(path("numbered")).error().message, HasSubstr("problem 1: file"));
  file("numbered/suite.toml", "problem = [");
  EXPECT_THAT(read_suite(path("numbered")).error().message, HasSubstr("line 1"));
}

TEST_F(Suites, TheOwnOneNumbersEveryProblem) {
  const auto suite = find_suite(k_own_suite);
  ASSERT_TRUE(suite) << suite.error().message;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(KBV_SOURCE) / "suite"))
    files += entry.path().extension() == ".py";
  EXPECT_EQ(suite->problems.size(), files);
}

TEST_F(Suites, AreRememberedByName) {
  file("mine/level1/1_A.py");
  const auto added = add_suite(path("mine"), "");
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->name, "mine");
  ASSERT_TRUE(add_suite(path("mine"), "other"));
  EXPECT_EQ(find_suite("other")->problems.size(), 1u);
  EXPECT_EQ(known_suites()->size(), 3u);
  EXPECT_FALSE(add_suite(path("mine"), k_own_suite)) << "that name is ours";
  EXPECT_FALSE(add_suite(path("mine"), "a b"));
  EXPECT_THAT(find_suite("third").error().message, HasSubstr("kbv, mine, other"));
  EXPECT_EQ(find_suite(path("mine"))->name, "mine") << "a folder will do as well";
}

TEST_F(Suites, AnotherFolderDoesNotTakeANameInSilence) {
  file("mine/level1/1_A.py");
  file("elsewhere/mine/level1/1_B.py");
  ASSERT_TRUE(add_suite(path("mine"), ""));
  const auto refused = add_suite(path("elsewhere/mine"), "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "suite_taken");
  EXPECT_EQ(refused.error().fault, Fault::usage);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr(path("mine") + " already"), HasSubstr("--replace"), HasSubstr("--name")));
  EXPECT_EQ(find_suite("mine")->problems.at(0).name, "1_A") << "nothing has changed";
  ASSERT_TRUE(add_suite(path("elsewhere/mine"), "", SuiteName::may_be_taken));
  EXPECT_EQ(find_suite("mine")->problems.at(0).name, "1_B");
}

TEST_F(Suites, AChangedOneIsNotUsedInSilence) {
  file("mine/level1/1_A.py");
  ASSERT_TRUE(add_suite(path("mine"), ""));
  file("mine/level1/1_A.py", "another version");
  EXPECT_EQ(find_suite("mine").error().code, "suite_changed");
  const auto all = known_suites();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_TRUE(all->at(1).problems.empty());
  EXPECT_THAT(all->at(1).skipped, ElementsAre(HasSubstr("has changed")));
  ASSERT_TRUE(add_suite(path("mine"), "mine"));
  EXPECT_TRUE(find_suite("mine"));
}

TEST_F(Suites, AListThatIsNoneIsAnError) {
  for (const char* text : {"", "[]", "{}", R"({"schema": "kbv-suites/1"})",
                           R"({"schema": "kbv-suites/1", "suites": {"a": {"folder": 1}}})"}) {
    file("state/kbv/suites.json", text);
    EXPECT_EQ(known_suites().error().code, "bad_suites") << text;
  }
}

}  // namespace
}  // namespace kbv
