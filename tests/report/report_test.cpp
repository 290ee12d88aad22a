// SPDX-License-Identifier: MIT
// What must hold for every report; how they look is in golden_test.cpp.
#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/printable.h"
#include "report/text.h"
#include "scenarios.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string report(const Observation& observation, ReportStyle style = {}) {
  return terminal_report(observation, test::verdicts_of(observation), style);
}

const std::vector<Observation (*)()> k_scenarios{
    test::good_observation,         test::wrong_observation,         test::crash_observation,
    test::build_error_observation,  test::machine_fault_observation, test::problem_fault_observation,
    test::unresolved_observation,   test::hostile_observation,       [] { return Observation(); }};

TEST(Report, NoLineIsWiderThanAsked) {
  for (const auto scenario : k_scenarios)
    for (const int width : {40, 60, 100, 160})
      for (const bool verbose : {false, true})
        for (const std::string& line : split_lines(report(scenario(), {false, width, verbose})))
          EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
}

TEST(Report, WithoutColourNothingButNewlinesIsAControlCharacter) {
  for (const auto scenario : k_scenarios) {
    const std::string text = report(scenario(), {false, 100, true});
    EXPECT_EQ(text, printable(text, true));
  }
}

TEST(Report, WithColourTheEscapesAreOurs) {
  const std::string text = report(test::hostile_observation(), {true, 100, true});
  EXPECT_THAT(text, HasSubstr("\x1b[1;31mREJECTED: crash\x1b[0m"));
  // Without our own escapes nothing is left that controls a terminal.
  std::string stripped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      stripped += text[i];
      continue;
    }
    const std::size_t end = text.find('m', i);
    ASSERT_NE(end, std::string::npos);
    const std::string code = text.substr(i + 2, end - i - 2);
    EXPECT_THAT(code, ::testing::AnyOf("0", "1", "2", "1;31", "1;32", "33"));
    i = end;
  }
  EXPECT_EQ(stripped, report(test::hostile_observation(), {false, 100, true}));
}

TEST(Report, HeadlineSaysIt) {
  EXPECT_THAT(report(test::good_observation()), StartsWith("CORRECT  faster: 1.25x as fast as PyTorch (tf32_on)"));
  EXPECT_THAT(report(test::wrong_observation()), StartsWith("REJECTED: wrong_output"));
  EXPECT_THAT(report(test::machine_fault_observation()), StartsWith("NO VERDICT: the machine's fault"));
  EXPECT_THAT(report(test::problem_fault_observation()), StartsWith("NO VERDICT: the problem's fault"));
  EXPECT_THAT(terminal_report(test::good_observation(), {}, {}), StartsWith("NOT JUDGED"));
}

TEST(Report, WhatDoesNotFitTogetherIsToldOnlyIfThereIsSuch) {
  Observation observation = test::good_observation();  // attested 20 us, claimed 19.5 us
  EXPECT_THAT(report(observation), Not(HasSubstr("does not fit together")));
  observation.candidate_time.claimed_us = test::samples_around(9, 0.1);
  const std::string text = report(observation);
  EXPECT_THAT(text, HasSubstr("What does not fit together"));
  EXPECT_THAT(text, HasSubstr("timing_mismatch: the candidate's process claims 9.0 us, and the judge measured 20.0 us"));
}

TEST(Report, AVacuousProblemIsToldBesideTheVerdict) {
  Observation observation = test::good_observation();
  EXPECT_THAT(report(observation), Not(HasSubstr("vacuous")));
  observation.problem.sha256 =
      "44dff2e3c3e9b014df3f41f40e3678aa17830ecc7b161d2f142f556f87ee134c";  // KernelBench's level 2 no. 80
  EXPECT_THAT(report(observation), HasSubstr("! this problem is known to be vacuous"));
  EXPECT_THAT(report(observation), Not(HasSubstr("What does not fit together"))) << "that is about the candidate";
}

TEST(Report, OutputIsQuotedOnFailureOrWhenVerboseTenLinesAtMost) {
  Observation good = test::good_observation();
  good.candidate_output = "hello from the kernel\n";
  EXPECT_THAT(report(good), Not(HasSubstr("hello from")));
  EXPECT_THAT(report(good, {false, 100, true}), HasSubstr("| hello from the kernel"));

  const std::string crash = report(test::crash_observation());
  EXPECT_THAT(crash, HasSubstr("| step 4\n"));
  EXPECT_THAT(crash, Not(HasSubstr("step 3\n")));
  EXPECT_THAT(crash, HasSubstr("(4 lines above are not shown)"));
  EXPECT_THAT(report(test::crash_observation(), {false, 100, true}), HasSubstr("| step 0\n"));
}

TEST(Report, ALaterFaultOfACorrectCandidateIsTold) {
  const Observation observation = test::crash_observation();
  const auto verdict = judge_observation(observation, test::protocol("kernelbench"));
  ASSERT_TRUE(verdict.correct);
  EXPECT_THAT(terminal_report(observation, {verdict}, {}), HasSubstr("failed later, where kernelbench does not look: crash"));
}

TEST(Report, IsPure) {
  for (const auto scenario : k_scenarios) EXPECT_EQ(report(scenario()), report(scenario()));
}

TEST(LabelsReport, OneLineARuleWithItsLinesAndNothingThatATerminalObeys) {
  SourceLabels labels{"looked at", "", 0.1, {}, {{"files", 4}}};
  for (int line = 1; line <= 9; ++line) labels.labels.push_back({"files", line, 1, "open \x1b[2J"});
  labels.labels.push_back({"clock", 30, 1, "time.time"});
  labels.labels.push_back({"from_a_later_version", 31, 1, "x"});
  const std::string report = labels_report(labels, {});
  EXPECT_THAT(report, testing::HasSubstr("1, 2, 3, 4, 5, 6, and 7 more"));
  EXPECT_THAT(report, testing::HasSubstr("from_a_later_version"));
  EXPECT_THAT(report, testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_LT(report.find("clock"), report.find("files"));  // in the table's order
}

TEST(LabelsReport, WhatWasNotLookedAtSaysWhyIfSomebodyTried) {
  EXPECT_EQ(labels_report({}, {}), "");
  SourceLabels labels;
  labels.why = "it is not Python: line 3";
  EXPECT_THAT(labels_report(labels, {}), testing::HasSubstr("could not be looked at: it is not Python: line 3"));
  labels = {"looked at", "", 0, {}, {}};
  EXPECT_THAT(labels_report(labels, {}), testing::HasSubstr("nothing that a rule knows"));
}

}  // namespace
}  // namespace kbv
