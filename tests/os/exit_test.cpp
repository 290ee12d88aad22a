// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "box.h"
#include "os/interrupt.h"

namespace kbv {
namespace {

using ExitTest = EachProfile;

TEST_P(ExitTest, TellsTheExitCode) {
  const Ended ended = run_box(with_profile(shell_spec("exit 42")));
  EXPECT_EQ(ended.status.code, 42);
  EXPECT_EQ(ended.status.signal, 0);
}

TEST_P(ExitTest, TellsTheSignal) {
  const Ended ended = run_box(with_profile(shell_spec("kill -SEGV $$")));
  EXPECT_EQ(ended.status.signal, SIGSEGV);
  EXPECT_EQ(ended.status.code, 0);
}

TEST_P(ExitTest, KeepsWhatItWroteOnBothStreams) {
  const Ended ended = run_box(with_profile(shell_spec("echo one; echo two >&2; echo three")));
  EXPECT_EQ(ended.output, "one\ntwo\nthree\n");
}

TEST_P(ExitTest, EndsTheChildrenWithTheProgram) {
  // Its length tells it from another test run's.
  const std::string name = "sleep 7654." + std::to_string(::getpid());
  const Ended ended = run_box(with_profile(shell_spec("setsid " + name + " & (setsid " + name + " &) ; exit 3")));
  EXPECT_EQ(ended.status.code, 3);
  EXPECT_TRUE(processes_with(name).empty());
}

TEST_P(ExitTest, StatusIsThereWithoutAnyoneAsking) {
  const auto process = start_box(with_profile(shell_spec("exit 5")));
  ASSERT_TRUE(process);
  ASSERT_TRUE(eventually(20, [&] { return process->exit_status().has_value(); }));
  process->kill();
  process->kill();
  EXPECT_EQ(process->exit_status()->code, 5);
  EXPECT_EQ(process->resident_bytes(), 0u);
  process->freeze();
  process->thaw();
}

TEST_P(ExitTest, SaysWhyAProgramCanNotStart) {
  LaunchSpec spec = with_profile(shell_spec(""));
  spec.argv = {"/usr/bin/there-is-no-such-program"};
  const auto process = Process::launch(spec);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().fault, Fault::machine);
  EXPECT_EQ(process.error().code, "launch_failed");
  EXPECT_NE(process.error().message.find("no-such-program"), std::string::npos) << process.error().message;
  EXPECT_NE(process.error().message.find("test program"), std::string::npos) << process.error().message;
}

TEST_P(ExitTest, ReportsItsLevel) {
  const Ended ended = run_box(with_profile(shell_spec("true")));
  std::string why;
  if (has_strict(why)) {
    EXPECT_EQ(ended.report.level, GetParam());
  }
  if (ended.report.level != GetParam()) {
    EXPECT_FALSE(ended.report.missing.empty());
  }
}

TEST_P(ExitTest, ManyBoxesAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      const Ended ended =
          run_box(with_profile(shell_spec("echo " + std::to_string(i) + "; exit " + std::to_string(i))));
      if (ended.status.code == i && ended.output == std::to_string(i) + "\n") ++right;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 16);
}

TEST_P(ExitTest, AnInterruptedJudgeLaunchesNothing) {
  interrupt();
  const auto process = Process::launch(with_profile(shell_spec("sleep 100")));
  clear_interrupt();
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, "interrupted");
}

KBV_EACH_PROFILE(ExitTest);

TEST(LaunchSpecTest, RefusesNonsense) {
  const auto refused = [](const std::function<void(LaunchSpec&)>& spoil) {
    LaunchSpec spec = shell_spec("true");
    spoil(spec);
    const auto process = Process::launch(spec);
    return !process && process.error().fault == Fault::usage;
  };
  EXPECT_TRUE(refused([](LaunchSpec& spec) { spec.argv.clear(); }));
  EXPECT_TRUE(refused([](LaunchSpec& spec) { spec.argv[0] = "sh"; }));
  EXPECT_TRUE(refused([](LaunchSpec& spec) { spec.fds = {{0, 2}}; }));
  EXPECT_TRUE(refused([](LaunchSpec& spec) { spec.fds = {{0, 3}, {1, 3}}; }));
  EXPECT_TRUE(refused([](LaunchSpec& spec) { spec.files = {{"../x", ""}}; }));
  EXPECT_TRUE(refused([](LaunchSpec& spec) { spec.files = {{"/x", ""}}; }));
  EXPECT_TRUE(refused([](LaunchSpec& spec) { spec.read_only_paths = {"usr"}; }));
}

TEST(LaunchSpecTest, NamesADescriptorThatIsNotOpen) {
  LaunchSpec spec = shell_spec("true");
  spec.fds = {{987, 3}};
  const auto process = Process::launch(spec);
  ASSERT_FALSE(process);
  EXPECT_NE(process.error().message.find("987"), std::string::npos);
}

TEST(LauncherTest, AMissingLauncherIsAnError) {
  set_launcher_path("/no/such/launcher");
  const auto process = Process::launch(shell_spec("true"));
  EXPECT_FALSE(process);
  // A program that isn't a launcher says nothing.
  set_launcher_path("/bin/false");
  const auto mute = Process::launch(shell_spec("true"));
  EXPECT_FALSE(mute);
  set_launcher_path("/proc/self/exe");
  EXPECT_EQ(run_box(shell_spec("exit 1")).status.code, 1);
}

}  // namespace
}  // namespace kbv
