// SPDX-License-Identifier: MIT
#include "programs.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "box.h"
#include "os/call_rules.h"
#include "os/shared_page.h"

namespace kbv {
namespace {

using Arguments = std::vector<std::string>;

void say(const std::string& text) { [[maybe_unused]] const ssize_t n = ::write(1, text.data(), text.size()); }

int sleep_forever() {
  while (true) ::pause();
}

/// Every process makes children until it can't, then stays; `limit` in all.
int fork_bomb(const Arguments& arguments) {
  auto* count =
      static_cast<std::atomic<int>*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const int limit = std::stoi(arguments.at(0));
  say("started\n");
  while (count->fetch_add(1) < limit) {
    const pid_t pid = ::fork();
    if (pid > 0 && count->load() % 3 == 0) ::setsid();
  }
  if (count->load() == limit + 1) say("full\n");
  return sleep_forever();
}

/// Like a bomb, but its processes die young, and their children are orphans at once.
int restless_bomb() {
  say("started\n");
  while (true) {
    const pid_t pid = ::fork();
    if (pid > 0 && ::getppid() != 1) ::_exit(0);
    if (pid < 0) ::usleep(1000);
  }
}

int many_threads(const Arguments& arguments) {
  const int limit = std::stoi(arguments.at(0));
  int made = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  for (pthread_t thread; made < limit; ++made)
    if (::pthread_create(
            &thread, &small,
            [](void*) -> void* {
              while (true) ::pause();
            },
            nullptr) != 0)
      break;
  say("threads " + std::to_string(made) + "\n");
  return sleep_forever();
}

/// Touches this many MiB, anonymous or in a memfd, itself or in a child; or writes them to a memfd that nobody maps.
int eat(const Arguments& arguments) {
  const std::size_t bytes = std::stoul(arguments.at(0)) << 20;
  if (arguments.at(1) == "written") {
    const std::string block(1u << 20, 'x');
    const int fd = ::memfd_create("eat", 0);
    for (std::size_t left = bytes; left > 0; left -= block.size())
      if (::write(fd, block.data(), block.size()) != static_cast<ssize_t>(block.size())) return 4;
    say("eaten\n");
    return sleep_forever();
  }
  const bool shared = arguments.at(1) == "memfd";
  if (arguments.at(1) == "child" && ::fork() != 0) return sleep_forever();
  const int fd = shared ? ::memfd_create("eat", 0) : -1;
  if (shared && ::ftruncate(fd, static_cast<off_t>(bytes)) != 0) return 2;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
  if (data == MAP_FAILED) return 3;
  std::memset(data, 1, bytes);
  say("eaten\n");
  return sleep_forever();
}

int flood(const Arguments& arguments) {
  const std::string block(256u << 10, 'x');
  say("first line\n");
  for (std::size_t left = std::stoul(arguments.at(0)) << 20; left > 0; left -= block.size()) say(block);
  say("\nlast line\n");
  return 0;
}

/// Counts up in a shared page, so that a test sees whether it runs.
int count_in_page(const Arguments& arguments) {
  const int fd = std::stoi(arguments.at(0));
  void* data = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return 2;
  auto* words = static_cast<std::atomic<std::uint32_t>*>(data);
  const bool child = ::fork() == 0;
  if (arguments.size() > 1 && arguments[1] == "timer" && !child) {
    // Wants to go on 100 ms after whatever stops it.
    timer_t timer{};
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    ::timer_create(CLOCK_MONOTONIC, &event, &timer);
    itimerspec times{};
    times.it_interval.tv_nsec = times.it_value.tv_nsec = 100'000'000;
    ::timer_settime(timer, 0, &times, nullptr);
  }
  while (true) {
    words[child ? 1 : 0].fetch_add(1);
    ::usleep(500);
  }
}

/// Answers the word in a page: waits until word 0 is 1, sets word 1 to 2.
int answer_in_page(const Arguments& arguments) {
  void* data = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, std::stoi(arguments.at(0)), 0);
  if (data == MAP_FAILED) return 2;
  auto* words = static_cast<std::atomic<std::uint32_t>*>(data);
  while (words[0].load() == 0) futex_wait(words[0], 0, after_seconds(10));
  words[1].store(2);
  futex_wake(words[1]);
  return 0;
}

int list_fds() {
  std::string text;
  for (int fd = 0; fd < 1024; ++fd)
    if (::fcntl(fd, F_GETFD) >= 0) text += std::to_string(fd) + " ";
  say(text);
  return 0;
}

/// Sends what the test asks for on descriptor 3.
int talk(const Arguments& arguments) {
  if (arguments.at(0) == "pid") {
    const std::string text = std::to_string(::getpid());
    return ::send(3, text.data(), text.size(), 0) > 0 ? 0 : 1;
  }
  if (arguments.at(0) == "echo") {
    char block[64];
    const ssize_t n = ::recv(3, block, sizeof block, 0);
    return n > 0 && ::send(3, block, static_cast<std::size_t>(n), 0) == n ? 0 : 1;
  }
  return 2;
}

/// Ignores what can be ignored, and says whether anything came ignored or blocked from outside.
int signals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  int odd = 0;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) ++odd;
    if (sigismember(&blocked, signal) == 1) ++odd;
  }
  say("odd " + std::to_string(odd) + "\n");
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_IGN);
  return sleep_forever();
}

/// A judge with a box in it, for the tests that kill a judge.
int judge(const Arguments& arguments) {
  LaunchSpec spec = program_spec(arguments.at(1), Arguments(arguments.begin() + 2, arguments.end()));
  spec.profile = profile_named(arguments.at(0));
  auto process = Process::launch(std::move(spec));
  if (!process) {
    say("error " + process.error().message + "\n");
    return 1;
  }
  while ((*process)->output().find('\n') == std::string::npos) ::usleep(1000);
  say("running\n");
  return sleep_forever();
}

int stop_self() {
  say("started\n");
  while (true) ::raise(SIGSTOP);
}

/// Makes each call that the box should refuse, with arguments that do no harm where it is not: "name errno".
int refused_calls(const Arguments& arguments) {
  const BoxTool tool = arguments.at(0) == "debugger" ? BoxTool::debugger : BoxTool::none;
  for (const CallRule& rule : call_rules(tool)) {
    std::array<long, 6> values;
    values.fill(rule.test == CallTest::always ? -1 : 0);
    if (rule.test == CallTest::any_bit || rule.test == CallTest::any_of) values[rule.argument] = rule.values.at(0);
    if (rule.test == CallTest::none_of) values[rule.argument] = 7;
    errno = 0;
    const long result = ::syscall(rule.number, values[0], values[1], values[2], values[3], values[4], values[5]);
    const int error = result < 0 ? errno : 0;
    if (result == 0 && rule.number == SYS_clone) ::_exit(0);
    say(std::string(rule.name) + " " + std::to_string(error) + "\n");
  }
  return 0;
}

/// Says what failed of calls that are near to refused ones.
int allowed_calls() {
  const auto expect = [](bool good, const char* name) {
    if (!good) say(std::string(name) + " " + std::to_string(errno) + "\n");
  };
  int fds[2];
  expect(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0, "socketpair");
  expect(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0, "socket");
  expect(::unshare(CLONE_FILES) == 0, "unshare(CLONE_FILES)");
  expect(::personality(0xffffffff) >= 0, "personality");
  expect(::memfd_create("x", MFD_CLOEXEC) >= 0, "memfd_create");
  int mode = 0;
  expect(::syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) == 0, "get_mempolicy");
  expect(::ioctl(fds[0], FIONREAD, &mode) == 0, "ioctl");
  std::thread([] {}).join();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  expect(::waitpid(child, nullptr, 0) == child, "fork");
  expect(::kill(::getpid(), 0) == 0, "kill");
  expect(::syscall(SYS_pidfd_open, ::getpid(), 0) >= 0, "pidfd_open");
  return 0;
}

/// "traced", or "errno N".
int trace_child() {
  const pid_t child = ::fork();
  if (child == 0) return sleep_forever();
  const bool traced = ::ptrace(PTRACE_ATTACH, child, nullptr, nullptr) == 0;
  say(traced ? "traced\n" : "errno " + std::to_string(errno) + "\n");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return 0;
}

/// A line for each: whether it could be opened for writing.
int write_files(const Arguments& paths) {
  for (const auto& path : paths) say(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666) >= 0 ? "written\n" : "refused\n");
  return 0;
}

int insist() {
  for (bool said = false;; said = true) {
    ::ptrace(PTRACE_ATTACH, 1, nullptr, nullptr);
    if (!said) say("started\n");
  }
}

#if defined(__x86_64__)
int enter_as(const std::string& name) {
  long result = 20;  // getpid's number among the 32-bit ones
  if (name == "int80") {
    asm volatile("int $0x80" : "+a"(result) : : "memory");
  } else {
    result = ::syscall(0x40000000 + SYS_getpid);
  }
  say("answered " + std::to_string(result) + "\n");
  return 0;
}
#endif

int hidden(const Arguments& arguments) {
  if (arguments.at(0) == "yes" && !hide_own_memory()) return 1;
  say("r");
  return sleep_forever();
}

}  // namespace

int run_test_program(int argc, char** argv) {
  const std::string name = argv[0];
  const Arguments arguments(argv + 1, argv + argc);
  if (name == "sleep") return say("started\n"), sleep_forever();
  if (name == "bomb") return fork_bomb(arguments);
  if (name == "restless") return restless_bomb();
  if (name == "threads") return many_threads(arguments);
  if (name == "eat") return eat(arguments);
  if (name == "flood") return flood(arguments);
  if (name == "count") return count_in_page(arguments);
  if (name == "answer") return answer_in_page(arguments);
  if (name == "fds") return list_fds();
  if (name == "talk") return talk(arguments);
  if (name == "signals") return signals();
  if (name == "stop") return stop_self();
  if (name == "refused") return refused_calls(arguments);
  if (name == "allowed") return allowed_calls();
  if (name == "insist") return insist();
  if (name == "trace") return trace_child();
  if (name == "write") return write_files(arguments);
#if defined(__x86_64__)
  if (name == "int80" || name == "x32") return enter_as(name);
#endif
  if (name == "hidden") return hidden(arguments);
  if (name == "judge") return judge(arguments);
  return 99;
}

}  // namespace kbv
