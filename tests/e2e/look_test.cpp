// SPDX-License-Identifier: MIT
// The static look as a person meets it: in an evaluation, and by itself.
#include "run_kbv.h"

namespace kbv::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Look : public WithTorch {};

std::vector<std::string> rules_of(const nlohmann::json& labels) {
  std::vector<std::string> rules;
  for (const auto& label : labels) rules.push_back(label.at("rule"));
  return rules;
}

TEST_F(Look, AnEvaluationHasTheLabelsAndItsVerdictIsItsOwn) {
  ProblemText problem, labelled;
  labelled.more = "import ctypes\n";
  const Ended plain = eval(problem.text(), problem.candidate());
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(json["source_labels"]["state"], "looked at");
  EXPECT_THAT(rules_of(json["source_labels"]["labels"]), testing::Not(testing::Contains("ctypes")));
  const Ended ended = eval(problem.text(), labelled.candidate());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("CORRECT"));
  EXPECT_THAT(ended.out, HasSubstr("What its source holds"));
  EXPECT_THAT(ended.out, HasSubstr("ctypes"));
  EXPECT_THAT(rules_of(json["source_labels"]["labels"]), testing::Contains("ctypes"));
}

TEST_F(Look, WhatIsNotPythonIsRejectedForThatAndNotForTheLook) {
  const Ended ended = eval(ProblemText().text(), "def f(:\n");
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(json["verdicts"][0]["code"], "import_error");
  EXPECT_EQ(json["source_labels"]["state"], "not looked at");
  EXPECT_THAT(ended.out, HasSubstr("could not be looked at: it is not Python: line 1"));
}

TEST_F(Look, TheVerbLooksWithoutAProblem) {
  const std::string good = file("good.py", "import gc\nx = '\x1b[2J'\n"), bad = file("bad.py", "def f(:\n");
  Ended ended = kbv({"look", good});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("introspection"));
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos);
  ended = kbv({"look", "--json", good, bad});
  EXPECT_EQ(ended.code, 1) << ended.err;
  const auto files = nlohmann::json::parse(ended.out).at("files");
  EXPECT_EQ(files.at(0).at("labels").at(0).at("line"), 1);
  EXPECT_EQ(files.at(1).at("state"), "not looked at");
  ended = kbv({"look", "--summary", good, bad});
  EXPECT_THAT(ended.out, HasSubstr("introspection"));
  EXPECT_EQ(kbv({"look", path("nowhere.py")}).code, 2);
  EXPECT_TRUE(leftovers().empty());
}

}  // namespace
}  // namespace kbv::test
