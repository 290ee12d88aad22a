// SPDX-License-Identifier: MIT
// The filter of system calls and Landlock: each refuses by itself what it is there for, and says so.
#include "os/seccomp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "box.h"
#include "os/landlock.h"

namespace kbv {
namespace {

class CallFilter : public testing::Test {
 protected:
  void SetUp() override {
    const auto ended = run_box(shell_spec("true"));
    const auto& layers = ended.report.layers;
    if (std::find(layers.begin(), layers.end(), "seccomp") == layers.end()) GTEST_SKIP() << "no filter of system calls here";
    for (const auto& missing : ended.report.missing) tells_ = tells_ && missing.rfind("seccomp notices", 0) != 0;
  }
  bool tells_ = true;  // whether this kernel gives notices
};

std::string names(const std::vector<RefusedCall>& calls) {
  std::set<std::string> names;
  for (const auto& call : calls) names.insert(call.layer + ": " + call.call + (call.is_attack ? " !" : ""));
  std::string text;
  for (const auto& name : names) text += name + "\n";
  return text;
}

class CallFilterOf : public CallFilter, public testing::WithParamInterface<const char*> {
 protected:
  LaunchSpec spec(const std::string& name, const std::vector<std::string>& arguments = {}) const {
    LaunchSpec spec = program_spec(name, arguments);
    spec.profile = profile_named(GetParam());
    return spec;
  }
};

INSTANTIATE_TEST_SUITE_P(Profiles, CallFilterOf, testing::Values("basic", "strict"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(CallFilterOf, RefusesEachCallOfTheListAndTellsOfIt) {
  const auto process = start_box(spec("refused", {"none"}));
  ASSERT_TRUE(process);
  ASSERT_TRUE(eventually(60, [&] { return process->exit_status().has_value(); }));
  process->kill();
  EXPECT_EQ(process->exit_status()->code, 0);
  std::map<std::string, int> got;
  std::istringstream lines(process->output());
  std::string name;
  for (int error = 0; lines >> name >> error;) got[name] = error;
  std::vector<RefusedCall> expected;
  for (const CallRule& rule : call_rules(BoxTool::none)) {
    ASSERT_TRUE(got.count(rule.name)) << rule.name;
    EXPECT_EQ(got[rule.name], rule.error) << rule.name;
    if (rule.caller != Caller::silent) expected.push_back({"seccomp", rule.name, rule.caller == Caller::attack});
  }
  if (tells_) EXPECT_EQ(names(process->refused_calls()), names(expected));
}

TEST_P(CallFilterOf, LeavesWhatProgramsNeed) {
  const auto process = start_box(spec("allowed"));
  ASSERT_TRUE(process);
  ASSERT_TRUE(eventually(60, [&] { return process->exit_status().has_value(); }));
  process->kill();
  EXPECT_EQ(process->output(), "");
  EXPECT_EQ(names(process->refused_calls()), "");
}

TEST_P(CallFilterOf, LetsADebuggerTraceAndNobodyElse) {
  LaunchSpec tracer = spec("trace");
  EXPECT_EQ(run_box(tracer).output, "errno " + std::to_string(EPERM) + "\n");
  tracer.tool = BoxTool::debugger;
  EXPECT_EQ(run_box(tracer).output, "traced\n");
}

TEST_F(CallFilter, EndsAProcessThatEntersAsAnotherArchitecture) {
#if defined(__x86_64__)
  for (const char* entry : {"int80", "x32"}) {
    const Ended ended = run_box(program_spec(entry));
    EXPECT_EQ(ended.status.signal, SIGSYS) << entry << ": " << ended.output;
  }
#else
  GTEST_SKIP() << "this architecture has one entry";
#endif
}

TEST_F(CallFilter, RefusesADebuggerTheRest) {
  LaunchSpec spec = program_spec("refused", {"debugger"});
  spec.tool = BoxTool::debugger;
  const std::string output = run_box(spec).output;
  for (const CallRule& rule : call_rules(BoxTool::debugger))
    EXPECT_NE(("\n" + output).find("\n" + std::string(rule.name) + " " + std::to_string(rule.error) + "\n"), std::string::npos) << rule.name;
  for (const char* name : {"ptrace", "process_vm_readv"})
    EXPECT_EQ(output.find(std::string(name) + " "), std::string::npos) << "not in its list, and tried: " << output;
}

TEST_F(CallFilter, LetsADebuggerConnect) {
  LaunchSpec spec = shell_spec("python3 -c 'import socket; a = socket.create_server((\"127.0.0.1\", 0)); "
                    "socket.create_connection(a.getsockname()); print(1)' 2>&1 | tail -n 1");
  if (::access("/usr/bin/python3", X_OK) != 0) return;
  spec.profile = IsolationProfile::basic;  // with a network, of which only the loopback counts here
  EXPECT_NE(run_box(spec).output, "1\n");
  spec.tool = BoxTool::debugger;
  EXPECT_EQ(run_box(spec).output, "1\n");
}

TEST_F(CallFilter, AFloodOfRefusedCallsDoesNotHoldTheBox) {
  const auto process = start_box(program_spec("insist"));
  ASSERT_TRUE(process);
  ASSERT_TRUE(eventually(10, [&] { return !process->output().empty(); }));
  const auto start = Clock::now();
  for (int i = 0; i < 3; ++i) {
    process->freeze();
    EXPECT_FALSE(process->exit_status()) << "it counts as one that breaks the freeze";
    process->thaw();
  }
  process->kill();
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), 5);
  if (tells_) EXPECT_EQ(names(process->refused_calls()), "seccomp: ptrace !\n") << "once";
}

TEST_F(CallFilter, EveryShutInBoxHasIt) {
  for (const char* profile : {"none", "basic", "strict"}) {
    LaunchSpec spec = shell_spec("grep '^Seccomp:' /proc/self/status");
    spec.profile = profile_named(profile);
    const bool none = spec.profile == IsolationProfile::none;
    const Ended ended = run_box(spec);
    const auto& layers = ended.report.layers;
    const bool has = std::find(layers.begin(), layers.end(), "seccomp") != layers.end();
    EXPECT_EQ(has, !none) << profile;
    const bool nested = read_small("/proc/self/status").find("Seccomp:\t0") == std::string::npos;
    if (!nested) EXPECT_EQ(ended.output, none ? "Seccomp:\t0\n" : "Seccomp:\t2\n") << profile;
  }
}

TEST(CallRules, NameEachNumberOnce) {
  for (const BoxTool tool : {BoxTool::none, BoxTool::debugger}) {
    std::set<long> numbers;
    for (const CallRule& rule : call_rules(tool)) {
      EXPECT_TRUE(numbers.insert(rule.number).second) << rule.name;
      EXPECT_GT(std::strlen(rule.reason), 10u) << rule.name;
      EXPECT_EQ(rule.test == CallTest::always, rule.values.empty()) << rule.name;
    }
  }
}

/// Landlock alone, in a child that is otherwise free.
class LandlockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    abi_ = landlock_abi(why);
    if (abi_ < k_least_landlock_abi) GTEST_SKIP() << "Landlock: " << (why.empty() ? "ABI 1" : why);
    for (const char* name : {"/mine", "/mine/a", "/mine/b", "/theirs"}) ASSERT_EQ(::mkdir((folder_.path() + name).c_str(), 0755), 0);
    for (const char* name : {"/mine/a/file", "/theirs/file", "/theirs/given"}) std::ofstream(folder_.path() + name) << "text";
  }

  std::string path(const char* name) const { return folder_.path() + name; }

  /// Whether `step` works in a child shut in there; it returns 0 if it does.
  bool works(const std::function<int()>& step, BoxTool tool = BoxTool::none, bool shut = true) {
    const pid_t child = ::fork();
    if (child == 0) {
      WritePlaces places;
      places.folders = {path("/mine"), path("/absent")};
      places.files = {path("/theirs/given"), "/dev/null"};
      places.process_files = "/proc";
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      if (shut && !enter_landlock(places, tool)) ::_exit(99);
      ::_exit(step() == 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 99);
    return status == 0;
  }

  static int write_to(const std::string& name) {
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    return fd >= 0 && ::write(fd, "x", 1) == 1 ? 0 : -1;
  }

  TemporaryFolder folder_;
  int abi_ = 0;
};

TEST_F(LandlockTest, LeavesItsOwnFoldersOpen) {
  EXPECT_TRUE(works([&] { return write_to(path("/mine/new")); }));
  EXPECT_TRUE(works([&] { return ::rename(path("/mine/a/file").c_str(), path("/mine/b/file").c_str()); }));
  EXPECT_TRUE(works([&] { return ::symlink("x", path("/mine/link").c_str()) | ::unlink(path("/mine/link").c_str()); }));
  EXPECT_TRUE(works([&] { return ::mkdir(path("/mine/c").c_str(), 0755) | ::rmdir(path("/mine/c").c_str()); }));
  EXPECT_TRUE(works([&] { return write_to(path("/theirs/given")); }));
  EXPECT_TRUE(works([&] { return write_to("/dev/null"); }));
  EXPECT_TRUE(works([&] { return write_to("/proc/self/comm"); }));
  EXPECT_TRUE(works([] { return ::memfd_create("x", 0) >= 0 ? write_to("/proc/self/fd/" + std::to_string(::memfd_create("x", 0))) : -1; }));
}

TEST_F(LandlockTest, RefusesToChangeAnythingElse) {
  const std::function<int()> steps[] = {
      [&] { return write_to(path("/theirs/file")); },
      [&] { return write_to(path("/theirs/new")); },
      [&] { return ::mkdir(path("/theirs/c").c_str(), 0755); },
      [&] { return ::symlink("x", path("/theirs/link").c_str()); },
      [&] { return ::rename(path("/mine/a/file").c_str(), path("/theirs/moved").c_str()); },
      [&] { return ::unlink(path("/theirs/file").c_str()); },
  };
  for (std::size_t i = 0; i < std::size(steps); ++i) EXPECT_FALSE(works(steps[i])) << i;
  EXPECT_EQ(read_small(path("/theirs/file")), "text");
  EXPECT_TRUE(works(steps[0], BoxTool::none, false)) << "without it, the same works";
  EXPECT_TRUE(works([&] { return ::access(path("/theirs/file").c_str(), R_OK) | (::open(path("/theirs/file").c_str(), O_RDONLY) < 0); })) << "reads stay";
}

TEST_F(LandlockTest, RefusesTcpButForADebugger) {
  if (abi_ < 4) GTEST_SKIP() << "Landlock: ABI " << abi_ << " knows no network";
  const auto bind_any = [] {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  };
  EXPECT_FALSE(works(bind_any));
  EXPECT_TRUE(works(bind_any, BoxTool::debugger));
}

TEST_F(LandlockTest, RefusesSignalsAndAbstractSocketsOfOthers) {
  if (abi_ < 6) GTEST_SKIP() << "Landlock: ABI " << abi_ << " has no scopes";
  EXPECT_FALSE(works([] { return ::kill(::getppid(), 0); }));
  EXPECT_TRUE(works([] { return ::kill(::getppid(), 0); }, BoxTool::none, false));
  const std::string name = "kbv-os-test-" + std::to_string(::getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 4), 0);
  const auto connect_to = [&] {
    return ::connect(::socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&address), size);
  };
  EXPECT_FALSE(works(connect_to));
  EXPECT_TRUE(works(connect_to, BoxTool::none, false));
}

class LandlockBox : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Profiles, LandlockBox, testing::Values("basic", "strict"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(LandlockBox, WritesStayInItsOwnFolders) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  LaunchSpec spec = program_spec("write", {"kept", "/dev/null", folder.path() + "/made"});
  spec.profile = profile_named(GetParam());
  spec.read_only_paths.push_back(folder.path());
  const Ended ended = run_box(spec);
  EXPECT_EQ(ended.output.substr(0, 16), "written\nwritten\n");
  std::string why;
  if (landlock_abi(why) < k_least_landlock_abi) GTEST_SKIP() << "skipped: no Landlock: " << why;
  EXPECT_EQ(std::count(ended.report.layers.begin(), ended.report.layers.end(), "landlock"), 1);
  EXPECT_EQ(ended.output.substr(16, 8), "refused\n");
  EXPECT_NE(::access((folder.path() + "/made").c_str(), F_OK), 0);
}

/// Starts "program hidden yes|no" as an ordinary user, and reads its /proc files as the same user.
bool can_read_environment(const char* hidden) {
  const uid_t user = ::geteuid() == 0 ? 61'234 : ::geteuid();
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t target = ::fork();
  if (target == 0) {
    ::dup2(ready[1], 1);
    if (::geteuid() == 0 && (::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0)) ::_exit(1);
    ::execl("/proc/self/exe", "os_test", "program", "hidden", hidden, nullptr);
    ::_exit(1);
  }
  ::close(ready[1]);
  char letter = 0;
  EXPECT_EQ(::read(ready[0], &letter, 1), 1);
  const pid_t reader = ::fork();
  if (reader == 0) {
    if (::geteuid() == 0 && (::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0)) ::_exit(2);
    const int fd = ::open(("/proc/" + std::to_string(target) + "/environ").c_str(), O_RDONLY);
    ::_exit(fd >= 0 && ::read(fd, &letter, 1) == 1 ? 1 : 0);
  }
  int status = 0;
  ::waitpid(reader, &status, 0);
  std::istringstream limits(read_small("/proc/" + std::to_string(target) + "/limits"));
  std::string line;
  while (std::getline(limits, line) && line.rfind("Max core file size", 0) != 0) {
  }
  EXPECT_EQ(line.find("unlimited") == std::string::npos && line.find(" 0 ") != std::string::npos, std::string(hidden) == "yes") << line;
  ::kill(target, SIGKILL);
  ::waitpid(target, nullptr, 0);
  ::close(ready[0]);
  EXPECT_NE(WEXITSTATUS(status), 2);
  return WEXITSTATUS(status) == 1;
}

TEST(OwnMemory, IsHiddenFromProcessesOfTheSameUser) {
  if (::geteuid() == 0) {
    // The program must be one that the other user can start.
    struct stat info{};
    ASSERT_EQ(::stat("/proc/self/exe", &info), 0);
    if ((info.st_mode & 1) == 0) GTEST_SKIP() << "other users can't start this program";
  }
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  if (core.rlim_max == 0) GTEST_SKIP() << "core files are off already";
  EXPECT_TRUE(can_read_environment("no")) << "so the test can tell";
  EXPECT_FALSE(can_read_environment("yes"));
}

}  // namespace
}  // namespace kbv
