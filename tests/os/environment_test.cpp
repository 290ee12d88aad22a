// SPDX-License-Identifier: MIT
// What a program finds when it starts: variables, descriptors, files, limits.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/fd.h"
#include "box.h"

namespace kbv {
namespace {

using EnvironmentTest = EachProfile;

TEST_P(EnvironmentTest, HasExactlyTheVariablesAsked) {
  ::setenv("KBV_TEST_SECRET", "sk-12345", 1);
  LaunchSpec spec = with_profile(shell_spec(""));
  spec.argv = {"/usr/bin/env"};
  spec.env = {"ONE=1", "BOX={box}/tmp:{box}"};
  const Ended ended = run_box(spec);
  ::unsetenv("KBV_TEST_SECRET");
  const auto box = ended.output.substr(ended.output.rfind(':') + 1);
  EXPECT_EQ(ended.output, "ONE=1\nBOX=" + box.substr(0, box.size() - 1) + "/tmp:" + box);
  if (ended.report.level == "strict") {
    EXPECT_EQ(box, "/kbv\n");
  }
}

TEST_P(EnvironmentTest, TheJudgesSecretsAreNowhereInProc) {
  ::setenv("KBV_TEST_SECRET", "sk-12345", 1);
  // The shell itself, the keeper and the launcher; whatever of it can be read.
  const Ended ended = run_box(with_profile(
      shell_spec("p=$$; while [ \"$p\" -gt 1 ]; do tr '\\0' '\\n' < /proc/$p/environ; p=$(awk '/^PPid/{print $2}' "
                 "/proc/$p/status); "
                 "[ \"$(tr '\\0' ' ' < /proc/$p/cmdline | cut -c1-8)\" = 'kbv inte' ] || break; done; true")));
  ::unsetenv("KBV_TEST_SECRET");
  EXPECT_EQ(ended.output.find("sk-12345"), std::string::npos);
}

TEST_P(EnvironmentTest, HasExactlyTheDescriptorsAsked) {
  LaunchSpec spec = with_profile(program_spec("fds"));
  const Fd leaked(::open("/dev/null", O_RDONLY));  // not close-on-exec, as a library might leave it
  const Fd first(::open("/dev/null", O_RDONLY | O_CLOEXEC)), second(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  spec.fds = {{first.get(), 9}, {second.get(), 4}, {first.get(), 3}};
  EXPECT_EQ(run_box(spec).output, "0 1 2 3 4 9 ");
}

TEST_P(EnvironmentTest, DescriptorsMayCrossOver) {
  const Fd a(::memfd_create("a", MFD_CLOEXEC)), b(::memfd_create("b", MFD_CLOEXEC));
  ASSERT_EQ(::pwrite(a.get(), "A", 1, 0), 1);
  ASSERT_EQ(::pwrite(b.get(), "B", 1, 0), 1);
  // The launcher holds them at 6 and 7, and the program wants them the other way round.
  LaunchSpec spec = with_profile(shell_spec("cat <&7 <&6; cat <&7"));
  spec.fds = {{a.get(), 7}, {b.get(), 6}};
  EXPECT_EQ(run_box(spec).output, "BA");
}

TEST_P(EnvironmentTest, InputIsEmptyAndThereIsNoTerminal) {
  EXPECT_EQ(run_box(with_profile(shell_spec("cat; (: < /dev/tty) 2>/dev/null && echo terminal; umask; pwd")))
                .output.substr(0, 5),
            "0022\n");
}

TEST_P(EnvironmentTest, SeesItsFiles) {
  LaunchSpec spec = with_profile(shell_spec(
      "cat $B/a.txt; cat $B/deep/er/b.bin; echo more >> $B/deep/w.txt && cat $B/deep/w.txt; echo built > $B/build/o && "
      "cat $B/build/o $B/tmp/t; echo x > $B/home/h && echo home"));
  spec.env.push_back("B={box}");
  spec.files = {
      {"a.txt", "A\n"}, {"deep/er/b.bin", std::string("B\0C\n", 4)}, {"deep/w.txt", "W\n", true}, {"tmp/t", "T\n"}};
  const Ended ended = run_box(spec);
  EXPECT_EQ(ended.output, std::string("A\nB\0C\nW\nmore\nbuilt\nT\nhome\n", 26));
}

TEST_P(EnvironmentTest, CanNotChangeReadOnlyFiles) {
  LaunchSpec spec =
      with_profile(shell_spec("(echo x > $B/a.txt) 2>/dev/null; (rm -f $B/a.txt) 2>/dev/null; "
                              "(mv $B/a.txt $B/b.txt) 2>/dev/null; chmod 777 $B/a.txt 2>/dev/null; "
                              "(echo y > $B/a.txt) 2>/dev/null; cat $B/a.txt"));
  spec.env.push_back("B={box}");
  spec.files = {{"a.txt", "kept\n"}};
  const Ended ended = run_box(spec);
  if (ended.report.level == "none") GTEST_SKIP() << "only a mount or another user can forbid it";
  EXPECT_EQ(ended.output, "kept\n");
}

TEST_P(EnvironmentTest, ALargeFileArrivesWhole) {
  LaunchSpec spec = with_profile(shell_spec("wc -c < $B/large"));
  spec.env.push_back("B={box}");
  spec.files = {{"large", std::string(40u << 20, 'k')}};
  EXPECT_EQ(run_box(spec).output, std::to_string(40u << 20) + "\n");
}

TEST_P(EnvironmentTest, LimitsAreSet) {
  LaunchSpec spec = with_profile(shell_spec("ulimit -c; ulimit -n; cat /proc/self/oom_score_adj; ulimit -f"));
  spec.limits.open_files = 123;
  spec.limits.file_bytes = 512 * 1000;
  EXPECT_EQ(run_box(spec).output, "0\n123\n1000\n1000\n");
}

TEST_P(EnvironmentTest, AFileCanNotGrowBeyondItsLimit) {
  LaunchSpec spec = with_profile(shell_spec("dd if=/dev/zero of=$B/tmp/f bs=1M count=20 2>/dev/null; exit $?"));
  spec.env.push_back("B={box}");
  spec.limits.file_bytes = 4u << 20;
  const Ended ended = run_box(spec);
  EXPECT_TRUE(ended.status.code != 0 || ended.status.signal != 0);
}

TEST_P(EnvironmentTest, SignalsAreAtTheirDefaults) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &set, &before);
  const auto process = start_box(with_profile(program_spec("signals")));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ASSERT_TRUE(process);
  EXPECT_TRUE(eventually(20, [&] { return process->output().find('\n') != std::string::npos; }));
  EXPECT_EQ(process->output(), "odd 0\n");
}

TEST_P(EnvironmentTest, HoldsNoPrivilege) {
  const Ended ended =
      run_box(with_profile(shell_spec("grep -E '^(CapEff|CapPrm|CapInh|CapAmb|NoNewPrivs)' /proc/self/status")));
  EXPECT_EQ(
      ended.output,
      "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapAmb:\t0000000000000000\n"
      "NoNewPrivs:\t1\n");
}

KBV_EACH_PROFILE(EnvironmentTest);

}  // namespace
}  // namespace kbv
