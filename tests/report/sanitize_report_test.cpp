// SPDX-License-Identifier: MIT
#include "report/sanitize_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbv {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

SanitizerResult result(SanitizerTool tool, SanitizerStatus status) {
  SanitizerResult made;
  made.tool = tool;
  made.status = status;
  return made;
}

SanitizeFindings findings(std::vector<SanitizerResult> tools) {
  SanitizeFindings made;
  made.problem.path = "suite/row_sum.py";
  made.candidate.path = "own.py";
  made.size = "cpu";
  made.program = "/usr/local/cuda/bin/compute-sanitizer";
  made.forwards = 3;
  made.tools = std::move(tools);
  return made;
}

TEST(SanitizeReport, OneToolWithErrorsDecides) {
  const auto all = findings({result(SanitizerTool::memcheck, SanitizerStatus::clean),
                             result(SanitizerTool::racecheck, SanitizerStatus::incomplete),
                             result(SanitizerTool::initcheck, SanitizerStatus::errors)});
  EXPECT_EQ(sanitize_status(all), SanitizerStatus::errors);
  EXPECT_THAT(sanitize_report(all, {}), StartsWith("ERRORS: initcheck"));
}

TEST(SanitizeReport, CleanOnlyIfEveryToolIs) {
  EXPECT_EQ(sanitize_status(findings({})), SanitizerStatus::incomplete);
  EXPECT_EQ(sanitize_status(findings({result(SanitizerTool::memcheck, SanitizerStatus::clean)})),
            SanitizerStatus::clean);
  const auto half = findings({result(SanitizerTool::memcheck, SanitizerStatus::clean),
                              result(SanitizerTool::synccheck, SanitizerStatus::not_available)});
  EXPECT_EQ(sanitize_status(half), SanitizerStatus::incomplete);
  EXPECT_THAT(sanitize_report(half, {}), StartsWith("NOT KNOWN: synccheck"));
}

TEST(SanitizeReport, TellsTheFirstRecordsAndWhereTheyAre) {
  auto memcheck = result(SanitizerTool::memcheck, SanitizerStatus::errors);
  memcheck.errors = 32;
  for (int i = 0; i < 7; ++i)
    memcheck.records.push_back({"Invalid __global__ read of size 4 bytes",
                                "tail_kernel(const float *)",
                                "main.cu:" + std::to_string(10 + i),
                                "",
                                "global",
                                "(31,0,0)",
                                "(7,0,0)",
                                {"Access to 0x7f12 is out of bounds"},
                                32,
                                false});
  const std::string text = sanitize_report(findings({memcheck}), {});
  for (const char* part :
       {"32 x Invalid __global__ read of size 4 bytes", "tail_kernel(const float *)", "main.cu:10", "main.cu:14",
        "(31,0,0) in block (7,0,0)", "Access to 0x7f12 is out of bounds", "2 more kinds at other places"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("main.cu:15")));
}

TEST(SanitizeReport, TextFromAReportIsHarmless) {
  auto memcheck = result(SanitizerTool::memcheck, SanitizerStatus::errors);
  memcheck.why = "why\x1b[31m\nCLEAN";
  memcheck.records.push_back({"kind\x1b[2J",
                              "kernel\r\n",
                              "\x1b]0;title\x07",
                              "\xff\xfe",
                              "s\x1b",
                              "t\x1b",
                              "b\x1b",
                              {"note\x1b\nCLEAN"},
                              1,
                              false});
  memcheck.others = memcheck.records;
  const std::string text = sanitize_report(findings({memcheck}), {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\nCLEAN")));
}

}  // namespace
}  // namespace kbv
