// SPDX-License-Identifier: MIT
#include "judge/sanitizer_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbv {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string k_began = "========= COMPUTE-SANITIZER\n";
const std::string k_no_errors = "========= ERROR SUMMARY: 0 errors\n";
const std::string k_out_of_bounds =
    "========= Invalid __global__ read of size 4 bytes\n"
    "=========     at tail_kernel(const float *, float *, int)+0x1c0 in main.cu:14\n"
    "=========     by thread (31,0,0) in block (7,0,0)\n"
    "=========     Access to 0x7f1200000a00 is out of bounds\n"
    "=========     and is 1 bytes after the nearest allocation at 0x7f1200000000 of size 2,560 bytes\n"
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
    "=========         Host Frame: at::native::something() [0x123] in libtorch_cuda.so\n"
    "=========         Host Frame: main [0x99] in python\n"
    "========= \n";

SanitizerResult conclude(const std::string& text, SanitizerRun run = {"", 0},
                         SanitizerTool tool = SanitizerTool::memcheck, const ProvenanceContext& candidate = {}) {
  return conclude_sanitizer(tool, parse_sanitizer_report(text), run, candidate);
}

TEST(SanitizerReport, ARunToItsEndWithoutErrorsIsClean) {
  EXPECT_EQ(conclude(k_began + "a line of the program's\n" + k_no_errors).status, SanitizerStatus::clean);
  EXPECT_EQ(conclude(k_began + "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", {"", 0},
                     SanitizerTool::racecheck)
                .status,
            SanitizerStatus::clean);
}

TEST(SanitizerReport, TellsWhereAnErrorWas) {
  const auto report = parse_sanitizer_report(k_began + k_out_of_bounds + "========= ERROR SUMMARY: 1 error\n");
  EXPECT_TRUE(report.began && report.finished);
  EXPECT_EQ(report.errors, 1u);
  ASSERT_THAT(report.records, SizeIs(1));
  const SanitizerRecord& record = report.records[0];
  EXPECT_EQ(record.kind, "Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(record.kernel, "tail_kernel(const float *, float *, int)");
  EXPECT_EQ(record.place, "main.cu:14");
  EXPECT_EQ(record.space, "global");
  EXPECT_EQ(record.thread, "(31,0,0)");
  EXPECT_EQ(record.block, "(7,0,0)");
  EXPECT_THAT(record.notes,
              ElementsAre("Access to 0x7f1200000a00 is out of bounds",
                          "and is 1 bytes after the nearest allocation at 0x7f1200000000 of size 2,560 bytes"));
}

TEST(SanitizerReport, TheSameErrorInOtherThreadsIsOneRecord) {
  std::string other = k_out_of_bounds;
  other.replace(other.find("(31,0,0)"), 8, "(30,0,0)");
  const auto report = parse_sanitizer_report(k_began + k_out_of_bounds + other + "========= ERROR SUMMARY: 2 errors\n");
  ASSERT_THAT(report.records, SizeIs(1));
  EXPECT_EQ(report.records[0].count, 2u);
  EXPECT_EQ(report.records[0].thread, "(31,0,0)");
}

TEST(SanitizerReport, ReadsPlacesAsEachVersionWritesThem) {
  struct Case {
    std::string line, kernel, place;
  };
  for (const Case& one : std::vector<Case>{
           {"at scale(float *)+0x80", "scale(float *)", ""},
           {"at scale(float *)+0x80 in a folder/x.cu:3", "scale(float *)", "a folder/x.cu:3"},
           {"at scale(float *) in x.cu:3", "scale(float *)", "x.cu:3"},
           {"at scale():0x160 in x.cu:6", "scale()", "x.cu:6"},
           {"at 0x80 in scale(float *)", "scale(float *)", ""},
           {"at 0x00000080 in /home/x.cu:34:scale(float *)", "scale(float *)", "/home/x.cu:34"},
           {"at 0x80 in x.cu:34:void own::scale<int>(int *)", "void own::scale<int>(int *)", "x.cu:34"},
           {"at 0x79d8", "", ""},
           {"at void own::f<(int)4>(own::array<float, (int)2>)+0x10 in x.cu:1",
            "void own::f<(int)4>(own::array<float, (int)2>)", "x.cu:1"},
       }) {
    const auto report =
        parse_sanitizer_report("========= Invalid __shared__ write of size 8 bytes\n=========     " + one.line + "\n");
    ASSERT_THAT(report.records, SizeIs(1)) << one.line;
    EXPECT_EQ(report.records[0].kernel, one.kernel) << one.line;
    EXPECT_EQ(report.records[0].place, one.place) << one.line;
    EXPECT_EQ(report.records[0].space, "shared") << one.line;
  }
}

TEST(SanitizerReport, TheKernelIsTheOutermostDeviceFrame) {
  const auto report = parse_sanitizer_report(
      "========= Barrier error detected. Invalid arguments.\n"
      "=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110\n"
      "=========     by thread (16,0,0) in block (0,0,0)\n"
      "=========         Device Frame: helper(float *)+0x30 in x.cu:5\n"
      "=========         Device Frame: broken_kernel(float *)+0xb0 in x.cu:12\n");
  ASSERT_THAT(report.records, SizeIs(1));
  EXPECT_EQ(report.records[0].kernel, "broken_kernel(float *)");
  EXPECT_EQ(report.records[0].place, "x.cu:12");
  EXPECT_EQ(report.records[0].inside, "__syncwarp(unsigned int) in sm_30_intrinsics.hpp:110");
}

TEST(SanitizerReport, ARaceIsOneErrorWithBothAccesses) {
  const std::string race =
      "Race reported between Write access at tile_kernel(float *)+0x130 in x.cu:9\n"
      "=========     and Read access at tile_kernel(float *)+0x200 in x.cu:12 [508 hazards]\n"
      "========= \n";
  const auto found = conclude(
      k_began + "========= Error: " + race + "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
      {"", k_sanitizer_errors_code}, SanitizerTool::racecheck);
  EXPECT_EQ(found.status, SanitizerStatus::errors);
  EXPECT_EQ(found.errors, 1u);
  ASSERT_THAT(found.records, SizeIs(1));
  EXPECT_EQ(found.records[0].kind, "Race reported");
  EXPECT_EQ(found.records[0].kernel, "tile_kernel(float *)");
  EXPECT_EQ(found.records[0].space, "shared");
  EXPECT_THAT(found.records[0].notes,
              ElementsAre("Write access at tile_kernel(float *)+0x130 in x.cu:9",
                          "Read access at tile_kernel(float *)+0x200 in x.cu:12", "[508 hazards]"));

  const auto warned = conclude(k_began + "========= Warning: " + race +
                                   "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n",
                               {"", 0}, SanitizerTool::racecheck);
  EXPECT_EQ(warned.status, SanitizerStatus::clean);
  EXPECT_EQ(warned.warnings, 1u);
  EXPECT_EQ(warned.errors, 0u);
  EXPECT_THAT(warned.records, SizeIs(1));
}

TEST(SanitizerReport, ErrorsInLibrariesKernelsAreNotTheCandidates) {
  const std::string uninitialised =
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)+0x70\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "=========     Address 0x7f3c7ec000fc\n"
      "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to "
      "cudaFree.\n"
      "========= ERROR SUMMARY: 2 errors\n";
  const auto found = conclude(k_began + uninitialised, {"", k_sanitizer_errors_code}, SanitizerTool::initcheck);
  EXPECT_EQ(found.status, SanitizerStatus::clean);
  EXPECT_EQ(found.errors, 0u);
  EXPECT_EQ(found.elsewhere, 2u);
  EXPECT_THAT(found.records, IsEmpty());
  EXPECT_THAT(found.others, SizeIs(2));
}

TEST(SanitizerReport, AKernelOfTheSourceIsTheCandidatesWhateverItsName) {
  const std::string text = k_began +
                           "========= Invalid __global__ write of size 4 bytes\n"
                           "=========     at ampere_sgemm_128x64_nn+0x10\n"
                           "========= ERROR SUMMARY: 1 error\n";
  EXPECT_EQ(conclude(text).status, SanitizerStatus::clean);
  EXPECT_EQ(conclude(text, {"", 0}, SanitizerTool::memcheck, {{"ampere_sgemm_128x64_nn"}, {}}).status,
            SanitizerStatus::errors);
}

TEST(SanitizerReport, WhatDidNotComeToItsEndIsNeverClean) {
  struct Case {
    std::string text;
    SanitizerRun run;
    std::string why;
  };
  for (const Case& one : std::vector<Case>{
           {"", {"", 0}, "no report"},
           {k_no_errors, {"", 0}, "no report"},
           {k_began, {"", 0}, "without a summary"},
           {k_began + k_no_errors, {"it did not finish construct in 5 s", std::nullopt}, "construct"},
           {k_began + k_no_errors, {"", std::nullopt}, "signal"},
           {k_began + k_no_errors, {"", 1}, "code 1"},
           {k_began + k_no_errors, {"", k_sanitizer_errors_code}, "exit code tells of errors"},
           {k_began + "========= ERROR SUMMARY: 3 errors\n", {"", k_sanitizer_errors_code}, "3 errors"},
           {k_began + k_no_errors + "========= ERROR SUMMARY: 7 errors were not printed. Use --print-limit\n",
            {"", 0},
            "too few"},
           {k_began + "========= Error: Target application terminated before first instrumented API call\n" +
                k_no_errors,
            {"", 0},
            "before first instrumented"},
           {k_began + "========= Internal Sanitizer Error: (no more memory)\n" + k_no_errors,
            {"", 0},
            "Internal Sanitizer Error"},
           {k_began + "========= Device not supported. Please refer to the documentation.\n" + k_no_errors,
            {"", 0},
            "not supported"},
       }) {
    const auto found = conclude(one.text, one.run);
    EXPECT_EQ(found.status, SanitizerStatus::incomplete) << one.text;
    EXPECT_THAT(found.why, HasSubstr(one.why)) << one.text;
  }
}

TEST(SanitizerReport, ErrorsCountEvenIfTheRunDidNotComeToItsEnd) {
  const auto found =
      conclude(k_began + k_out_of_bounds, {"the forward failed: unspecified launch failure", std::nullopt});
  EXPECT_EQ(found.status, SanitizerStatus::errors);
  EXPECT_EQ(found.errors, 1u);
  EXPECT_THAT(found.why, HasSubstr("launch failure"));
}

TEST(SanitizerReport, ASecondSummaryCannotTakeErrorsBack) {
  const std::string forged = k_began + "========= ERROR SUMMARY: 5 errors\n" + k_no_errors;
  EXPECT_EQ(parse_sanitizer_report(forged).errors, 5u);
  EXPECT_EQ(conclude(forged).status, SanitizerStatus::incomplete);
  EXPECT_EQ(conclude(k_began + k_out_of_bounds + k_no_errors).status, SanitizerStatus::errors);
}

TEST(SanitizerReport, HostileBytesAreBounded) {
  const std::string mark = "========= ";
  // More than may be read, without a newline.
  EXPECT_TRUE(parse_sanitizer_report(std::string(k_max_sanitizer_bytes + 1, '=')).truncated);
  // A summary beyond what is read does not count.
  EXPECT_EQ(conclude(k_began + std::string(k_max_sanitizer_bytes, 'x') + "\n" + k_no_errors).status,
            SanitizerStatus::incomplete);
  // Long texts, and many records, all of them different.
  std::string text = k_began;
  for (int i = 0; i < 200; ++i)
    text += mark + "Invalid __global__ read of size 4 bytes\n=========     at k" + std::to_string(i) +
            std::string(3000, 'n') + "+0x1\n" + "=========     " + std::string(10000, 'z') + "\n";
  const auto many = parse_sanitizer_report(text);
  EXPECT_THAT(many.records, SizeIs(k_max_sanitizer_records));
  EXPECT_EQ(many.left_out, 200 - k_max_sanitizer_records);
  for (const SanitizerRecord& record : many.records) {
    EXPECT_LE(record.kernel.size(), k_max_sanitizer_text);
    for (const std::string& note : record.notes) EXPECT_LE(note.size(), k_max_sanitizer_text);
  }
  // Notes of one record.
  std::string notes = mark + "Invalid __global__ read of size 4 bytes\n=========     at k+0x1\n";
  for (int i = 0; i < 1000; ++i) notes += "=========     note\n";
  EXPECT_LE(parse_sanitizer_report(notes).records.at(0).notes.size(), 8u);
  // Numbers that do not fit, and none at all.
  EXPECT_EQ(parse_sanitizer_report(mark + "ERROR SUMMARY: 99999999999999999999999 errors\n").errors, UINT64_MAX);
  EXPECT_EQ(parse_sanitizer_report(mark + "ERROR SUMMARY: errors\n").errors, 0u);
}

TEST(SanitizerReport, PiecesOfLinesDoNotConfuseIt) {
  for (const std::string line :
       {"=========", "========= ", "=========     at ", "=========     by thread ", "=========     and  access at ",
        "========= Error: Race reported between ", "========= Error: Race reported between  at  [",
        "=========     Device Frame:", "=========     at 0x", "=========     at 0x in ", "=========     at 0x1 in :1:",
        "=========     at +0x", "========= RACECHECK SUMMARY: ", "========= \0\xff\x1b[2J"}) {
    EXPECT_NE(conclude(k_began + line).status, SanitizerStatus::clean) << line;
    EXPECT_NE(conclude(k_began + "========= Invalid __global__ read of size 4 bytes\n" + line).status,
              SanitizerStatus::clean)
        << line;
  }
}

TEST(SanitizerTools, HaveTheNamesOfTheProgram) {
  for (const SanitizerTool tool : k_sanitizer_tools) EXPECT_EQ(sanitizer_tool(to_string(tool)), tool);
  EXPECT_EQ(sanitizer_tool("leakcheck"), std::nullopt);
}

}  // namespace
}  // namespace kbv
