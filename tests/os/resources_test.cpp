// SPDX-License-Identifier: MIT
// Memory and output of a box are bounded.
#include <csignal>

#include "base/clock.h"
#include "box.h"
#include "os/control_group.h"

namespace kbv {
namespace {

using ResourcesTest = EachProfile;

void expect_over_memory(LaunchSpec spec) {
  spec.limits.memory_bytes = 200u << 20;
  const auto process = start_box(std::move(spec));
  ASSERT_TRUE(process);
  ASSERT_TRUE(eventually(30, [&] { return process->exit_status().has_value(); }));
  EXPECT_TRUE(process->exit_status()->over_memory);
  EXPECT_EQ(process->exit_status()->signal, SIGKILL);
}

TEST_P(ResourcesTest, TooMuchMemoryEndsIt) { expect_over_memory(with_profile(program_spec("eat", {"400", "self"}))); }

TEST_P(ResourcesTest, AMemfdCounts) { expect_over_memory(with_profile(program_spec("eat", {"400", "memfd"}))); }

TEST_P(ResourcesTest, AChildCounts) { expect_over_memory(with_profile(program_spec("eat", {"400", "child"}))); }

// No process has these bytes among its own: only the kernel's count of the whole box sees them.
TEST_P(ResourcesTest, AMemfdThatNobodyMapsCountsWhereThereAreCgroups) {
  const GroupProbe group = probe_control_group();
  if (!group.available) GTEST_SKIP() << group.detail;
  LaunchSpec spec = with_profile(program_spec("eat", {"700", "written"}));
  spec.limits.tmp_bytes = 16u << 20;
  ASSERT_LT(group_memory_bytes(spec.limits, 200u << 20), 600ull << 20);
  expect_over_memory(std::move(spec));
}

TEST_P(ResourcesTest, AllowedMemoryIsAllowedByTheGroupToo) {
  LaunchSpec spec = with_profile(program_spec("eat", {"700", "written"}));
  spec.limits.memory_bytes = 200u << 20;
  spec.limits.tmp_bytes = 16u << 20;
  spec.argv.insert(spec.argv.begin(), {"/bin/sh", "-c", "sleep 1; exec \"$0\" \"$@\""});
  const auto process = start_box(std::move(spec));
  ASSERT_TRUE(process);
  process->allow_memory(1u << 30);
  ASSERT_TRUE(eventually(30, [&] { return process->output() == "eaten\n" || process->exit_status(); }));
  EXPECT_FALSE(process->exit_status());
}

TEST_P(ResourcesTest, ABuildYieldsTheProcessor) {
  LaunchSpec spec = with_profile(shell_spec("nice; sed 's/.*nice //' /proc/self/autogroup 2>&-; true"));
  const bool sessions = ::access("/proc/self/autogroup", R_OK) == 0;
  EXPECT_EQ(run_box(spec).output, sessions ? "0\n0\n" : "0\n");
  spec.limits.background = true;
  EXPECT_EQ(run_box(spec).output, sessions ? "10\n10\n" : "10\n");
}

TEST_P(ResourcesTest, AProgramBelowItsLimitLives) {
  LaunchSpec spec = with_profile(program_spec("eat", {"100", "self"}));
  spec.limits.memory_bytes = 1u << 30;
  const auto process = start_box(std::move(spec));
  ASSERT_TRUE(process);
  ASSERT_TRUE(eventually(30, [&] { return process->output() == "eaten\n"; }));
  EXPECT_GE(process->resident_bytes(), 100u << 20);
  EXPECT_LE(process->resident_bytes(), 900u << 20);
  ::usleep(200'000);
  EXPECT_FALSE(process->exit_status());
}

TEST_P(ResourcesTest, AFloodIsTakenQuicklyAndBounded) {
  LaunchSpec spec = with_profile(program_spec("flood", {"1024"}));
  spec.limits.output_bytes = 64u << 10;
  const auto start = Clock::now();
  const Ended ended = run_box(spec);
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_EQ(ended.status.code, 0);
  EXPECT_LE(ended.output.size(), (64u << 10) + 100);
  EXPECT_EQ(ended.output.substr(0, 12), "first line\nx");
  EXPECT_EQ(ended.output.substr(ended.output.size() - 12), "x\nlast line\n");
  EXPECT_NE(ended.output.find("[kbv: 1073"), std::string::npos);
}

KBV_EACH_PROFILE(ResourcesTest);

}  // namespace
}  // namespace kbv
