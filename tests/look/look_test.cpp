// SPDX-License-Identifier: MIT
// The look in its box, at sources that mean no good.
#include "look/look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kbv {
namespace {

using testing::HasSubstr;

const PythonEnvironment& python() {
  static const auto found = find_python("");
  static const PythonEnvironment none;
  return found ? *found : none;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

class Look : public testing::Test {
 protected:
  void SetUp() override {
    if (python().executable.empty()) GTEST_SKIP() << "no Python 3 here";
  }
  static SourceLabels look(const std::string& source) {
    return look_at_source(python(), source, IsolationProfile::strict);
  }
};

TEST_F(Look, FindsInTheBoxWhatIsThere) {
  const SourceLabels labels = look("import ctypes\n");
  ASSERT_EQ(labels.state, "looked at") << labels.why;
  ASSERT_EQ(labels.labels.size(), 1u);
  EXPECT_EQ(labels.labels[0].rule, "ctypes");
  EXPECT_EQ(labels.labels[0].line, 1);
  EXPECT_EQ(labels.labels[0].column, 1);
  EXPECT_GT(labels.seconds, 0);
}

TEST_F(Look, AnEmptySourceHasNothing) {
  EXPECT_EQ(look("").state, "looked at");
  EXPECT_TRUE(look("").labels.empty());
}

TEST_F(Look, NothingOfTheSourceRuns) {
  const auto trace = std::filesystem::temp_directory_path() / ("kbv-look-ran-" + std::to_string(::getpid()));
  std::filesystem::remove(trace);
  const std::string write = "open('" + trace.string() + "', 'w').write('x')\n";
  // Without a box it could write there, if it ran; each way by which parsing could be more than that.
  for (const std::string& source : {write, "# coding: utf-8\n" + write, "x: " + write, "@" + write + "def f(): pass\n",
                                    "f'{" + write.substr(0, write.size() - 1) + "}'\n"})
    static_cast<void>(look_at_source(python(), source, IsolationProfile::none));
  EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST_F(Look, WhatIsNotPythonIsToldAndNothingElse) {
  for (const std::string& source :
       {std::string("def f(:\n"), std::string("x = '\0'\n", 8), std::string("\xff\xfe x = 1"),
        std::string("# coding: no_such_codec\nx = 1\n"), std::string("# coding: utf-8\nx = '\xff'\n"),
        std::string(65536, '\xff'), std::string("  x = 1\n y = 2\n")}) {
    const SourceLabels labels = look(source);
    EXPECT_EQ(labels.state, "not looked at") << source.substr(0, 40);
    EXPECT_THAT(labels.why, HasSubstr("not Python")) << source.substr(0, 40);
    EXPECT_TRUE(labels.labels.empty());
  }
}

TEST_F(Look, DeepSourcesDoNoHarm) {
  for (const std::string& source :
       {repeated("(", 100'000), repeated("[", 90) + repeated("]", 90), repeated("-", 100'000) + "x\n",
        "x = " + repeated("f(", 3000) + repeated(")", 3000), "x" + repeated(".a", 50'000) + "\n",
        "x" + repeated("[0]", 50'000) + " = 1\n", "x = 1" + repeated(" + 1", 100'000) + "\n",
        "x = ''" + repeated(" + 'a'", 50'000) + "\n", "not " + repeated("not ", 50'000) + "x\n",
        "f" + repeated("()", 50'000) + "\n", repeated("lambda: ", 20'000) + "1\n", repeated("if x:\n ", 90) + "\n",
        "import torch\ntorch" + repeated(".cuda", 20'000) + ".x = 1\n"}) {
    const SourceLabels labels = look(source);
    EXPECT_TRUE(labels.state == "looked at" || !labels.why.empty()) << source.substr(0, 40);
    EXPECT_LT(labels.why.size(), k_max_look_why + 1);
  }
}

TEST_F(Look, LargeSourcesAreBounded) {
  EXPECT_THAT(look(std::string((4u << 20) + 1, ' ')).why, HasSubstr("larger than 4 MiB"));
  const SourceLabels many = look(repeated("open('x')\n", 3000));
  EXPECT_EQ(many.state, "looked at") << many.why;
  EXPECT_EQ(many.labels.size(), k_max_labels_of_rule);
  EXPECT_GT(many.left_out.at("files"), 0u);
  const SourceLabels text = look("s = '''void f() {}\n" + repeated("x = y;\n", 400'000) + "'''\n");
  EXPECT_NE(text.state, "looked at");
  EXPECT_FALSE(text.why.empty());
}

TEST_F(Look, StringsThatGrowWithEachStepAreNotFollowed) {
  std::string doubling = "s0 = 'void f() {;}'\n";
  for (int i = 1; i < 60; ++i)
    doubling += "s" + std::to_string(i) + " = s" + std::to_string(i - 1) + " + s" + std::to_string(i - 1) + "\n";
  const SourceLabels labels = look(doubling + "load_inline(cuda_sources=s59)\n");
  EXPECT_TRUE(labels.state != "not looked at" || !labels.why.empty());
  EXPECT_LT(labels.seconds, k_look_timeout_s);
}

TEST_F(Look, NamesThatStandForThemselvesEnd) {
  const SourceLabels labels = look("a = b\nb = a\na.x = 1\nc = c.d\nc()\ndef f():\n    global f\n    f = f.f\n");
  EXPECT_EQ(labels.state, "looked at") << labels.why;
}

TEST_F(Look, AHelperThatDoesNotRunIsToldNotFailed) {
  PythonEnvironment broken = python();
  broken.executable = "/bin/false";
  const SourceLabels labels = look_at_source(broken, "x = 1\n", IsolationProfile::none);
  EXPECT_EQ(labels.state, "not looked at");
  EXPECT_THAT(labels.why, HasSubstr("the helper ended with code 1"));
  broken.executable = "/nowhere/python";
  EXPECT_EQ(look_at_source(broken, "x = 1\n", IsolationProfile::none).state, "not looked at");
}

TEST_F(Look, AHelperThatNeverEndsIsEnded) {
  PythonEnvironment slow = python();
  const auto script = std::filesystem::temp_directory_path() / ("kbv-look-slow-" + std::to_string(::getpid()));
  std::ofstream(script) << "#!/bin/sh\nexec sleep 1000\n";
  std::filesystem::permissions(script, std::filesystem::perms::all);
  slow.executable = script.string();
  const SourceLabels labels = look_at_source(slow, "x = 1\n", IsolationProfile::none);
  std::filesystem::remove(script);
  EXPECT_EQ(labels.state, "not looked at");
  EXPECT_THAT(labels.why, HasSubstr("did not end in 10 s"));
}

}  // namespace
}  // namespace kbv
