// SPDX-License-Identifier: MIT
// Killing, freezing and thawing boxes that resist.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "base/file.h"
#include "box.h"
#include "os/process_tree.h"
#include "os/shared_page.h"

namespace kbv {
namespace {

bool said(Process& process, const std::string& text) {
  return eventually(30, [&] { return process.output().find(text) != std::string::npos || process.exit_status(); }) &&
         process.output().find(text) != std::string::npos;
}

void expect_gone() { EXPECT_TRUE(processes_with(marker()).empty()); }

/// How many processes or threads a bomb makes. The full number leaves no process ids for others on this machine, so it
/// is for KBV_HEAVY_TESTS=1 alone.
std::string many(int full) {
  const char* heavy = std::getenv("KBV_HEAVY_TESTS");
  return std::to_string(heavy && *heavy == '1' ? full : std::min(full, 2000));
}

class KillTest : public EachProfile {
 protected:
  void TearDown() override {
    for (const pid_t pid : BoxProcesses::below(::getpid()).pids())
      ADD_FAILURE() << "something of a box is left: " << read_small("/proc/" + std::to_string(pid) + "/status");
  }

  void expect_dies(const LaunchSpec& spec, const std::string& first_words, double seconds) {
    auto process = start_box(with_profile(spec));
    ASSERT_TRUE(process);
    EXPECT_TRUE(said(*process, first_words)) << process->output();
    const auto start = Clock::now();
    process->kill();
    EXPECT_LT(seconds_since(start), seconds);
    EXPECT_TRUE(process->exit_status());
    expect_gone();
  }
};

TEST_P(KillTest, ASleeper) { expect_dies(program_spec("sleep"), "started", 5); }

TEST_P(KillTest, OneThatIgnoresAllSignals) { expect_dies(program_spec("signals"), "odd", 5); }

TEST_P(KillTest, AStoppedOne) { expect_dies(program_spec("stop"), "started", 5); }

TEST_P(KillTest, AGrowingForkBomb) {
  LaunchSpec spec = program_spec("bomb", {many(10'000)});
  spec.limits.processes = 20'000;
  expect_dies(spec, "started", 60);
}

TEST_P(KillTest, AFullForkBomb) {
  LaunchSpec spec = program_spec("bomb", {many(10'000)});
  spec.limits.processes = 20'000;
  expect_dies(spec, "full", 60);
}

TEST_P(KillTest, ARestlessBomb) {
  LaunchSpec spec = program_spec("restless");
  spec.limits.processes = 300;
  expect_dies(spec, "started", 60);
}

TEST_P(KillTest, ManyThreads) {
  LaunchSpec spec = program_spec("threads", {many(100'000)});
  spec.limits.processes = 20'000;
  expect_dies(spec, "threads", 60);
}

TEST_P(KillTest, AFrozenOne) {
  auto process = start_box(with_profile(program_spec("sleep")));
  ASSERT_TRUE(process);
  ASSERT_TRUE(said(*process, "started"));
  process->freeze();
  process->kill();
  expect_gone();
}

TEST_P(KillTest, ByItsDestructor) {
  start_box(with_profile(program_spec("sleep")));
  expect_gone();
}

TEST_P(KillTest, FromSeveralThreadsAtOnce) {
  auto process = start_box(with_profile(program_spec("sleep")));
  ASSERT_TRUE(process);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { process->kill(); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(process->exit_status()->signal, SIGKILL);
}

TEST_P(KillTest, WithAKeeperThatSomeoneStopped) {
  auto process = start_box(with_profile(program_spec("sleep")));
  ASSERT_TRUE(process);
  for (const pid_t pid : BoxProcesses::below(::getpid()).pids()) ::kill(pid, SIGSTOP);
  process->kill();
  expect_gone();
}

TEST_P(KillTest, TheProcessLimitHolds) {
  if (::geteuid() == 0 && std::string(GetParam()) == "none") GTEST_SKIP() << "root has no such limit";
  LaunchSpec spec = program_spec("threads", {"1000"});
  spec.limits.processes = 100;
  auto process = start_box(with_profile(spec));
  ASSERT_TRUE(process);
  ASSERT_TRUE(said(*process, "threads"));
  const int made = std::stoi(process->output().substr(process->output().find("threads") + 8));
  // Profile none counts what the user runs elsewhere, which may end meanwhile.
  EXPECT_LE(made, 100 + (std::string(GetParam()) == "none" ? 50 : 0));
  EXPECT_GE(made, 50);
}

KBV_EACH_PROFILE(KillTest);

class FreezeTest : public EachProfile {
 protected:
  void start(const std::vector<std::string>& more = {}) {
    page_ = SharedPage::create(4096).value();
    std::vector<std::string> arguments{"3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    LaunchSpec spec = program_spec("count", arguments);
    spec.fds = {{page_.fd(), 3}};
    process_ = start_box(with_profile(spec));
    ASSERT_TRUE(process_);
    ASSERT_TRUE(eventually(20, [&] { return word(0) > 10 && word(1) > 10; }));
  }
  std::uint32_t word(std::size_t index) { return static_cast<std::atomic<std::uint32_t>*>(page_.data())[index].load(); }

  SharedPage page_;
  std::unique_ptr<Process> process_;
};

TEST_P(FreezeTest, StopsAllAndContinues) {
  start();
  for (int round = 0; round < 3; ++round) {
    process_->freeze();
    const std::uint32_t before[] = {word(0), word(1)};
    ::usleep(100'000);
    EXPECT_EQ(word(0), before[0]);
    EXPECT_EQ(word(1), before[1]);
    process_->thaw();
    EXPECT_TRUE(eventually(10, [&] { return word(0) > before[0] && word(1) > before[1]; }));
  }
  EXPECT_FALSE(process_->exit_status());
}

TEST_P(FreezeTest, OneThatGoesOnByItselfIsEnded) {
  start({"timer"});
  // Thawing is not held against it.
  process_->freeze();
  process_->thaw();
  process_->freeze();
  EXPECT_TRUE(eventually(10, [&] { return process_->exit_status().has_value(); }));
  if (process_->exit_status()) {
    EXPECT_TRUE(process_->exit_status()->broke_freeze);
  }
}

KBV_EACH_PROFILE(FreezeTest);

}  // namespace
}  // namespace kbv
