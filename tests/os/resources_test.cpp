// SPDX-License-Identifier: MIT
// Memory and output of a box are bounded.
#include <csignal>

#include "base/clock.h"
#include "box.h"

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
