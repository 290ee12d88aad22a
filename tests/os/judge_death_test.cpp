// SPDX-License-Identifier: MIT
// A judge that is killed leaves no process and no file.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/fd.h"
#include "base/file.h"
#include "box.h"
#include "os/process_tree.h"

namespace kbv {
namespace {

class JudgeDeathTest : public EachProfile {
 protected:
  /// Starts "os_test program judge <profile> <program> ..." and waits until its box runs. This process is
  /// single-threaded here, so it may fork.
  pid_t start_judge(std::vector<std::string> program) {
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    const Fd read_end(fds[0]);
    Fd write_end(fds[1]);
    std::vector<std::string> arguments = {"os_test", "program", "judge", GetParam()};
    arguments.insert(arguments.end(), program.begin(), program.end());
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t judge = ::fork();
    if (judge == 0) {
      ::dup2(write_end.get(), 1);
      ::setenv("TMPDIR", folder_.path().c_str(), 1);
      ::execv("/proc/self/exe", argv.data());
      ::_exit(127);
    }
    write_end.reset();
    std::string text;
    char block[512];
    while (text.find("running\n") == std::string::npos) {
      const ssize_t n = ::read(read_end.get(), block, sizeof block);
      if (n <= 0) break;
      text.append(block, static_cast<std::size_t>(n));
    }
    EXPECT_NE(text.find("running\n"), std::string::npos) << text;
    return judge;
  }

  static bool is_alive(pid_t pid) {
    const std::string stat = read_small("/proc/" + std::to_string(pid) + "/stat");
    return !stat.empty() && stat.find(") Z") == std::string::npos;
  }

  void kill_and_look(pid_t judge, int signal) {
    const auto box = BoxProcesses::below(judge).pids();
    EXPECT_GE(box.size(), 3u);  // launcher, keeper, program
    ::kill(judge, signal);
    ::waitpid(judge, nullptr, 0);
    EXPECT_TRUE(eventually(30, [&] { return std::none_of(box.begin(), box.end(), is_alive); }));
    EXPECT_TRUE(eventually(10, [&] { return std::filesystem::is_empty(folder_.path()); }));
  }

  TemporaryFolder folder_;
};

TEST_P(JudgeDeathTest, BySigkill) { kill_and_look(start_judge({"sleep"}), SIGKILL); }

TEST_P(JudgeDeathTest, BySigabrt) { kill_and_look(start_judge({"sleep"}), SIGABRT); }

TEST_P(JudgeDeathTest, WithAForkBombInTheBox) { kill_and_look(start_judge({"bomb", "800"}), SIGKILL); }

TEST_P(JudgeDeathTest, WithAStoppedProgram) { kill_and_look(start_judge({"stop"}), SIGKILL); }

KBV_EACH_PROFILE(JudgeDeathTest);

}  // namespace
}  // namespace kbv
