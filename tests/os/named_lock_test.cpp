// SPDX-License-Identifier: MIT
#include "os/named_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "os/interrupt.h"

namespace kbv {
namespace {

std::string own_name(const char* of) { return "kbv-test-" + std::to_string(::getpid()) + "-" + of; }

/// Another process that holds the lock until it is killed.
pid_t hold(const std::string& name) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto lock = NamedLock::acquire(name);
    if (lock && ::write(ready[1], "y", 1) == 1)
      for (;;) ::pause();
    ::_exit(1);
  }
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  return pid;
}

void kill_and_reap(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST(NamedLock, DiesWithItsHolder) {
  const std::string name = own_name("dies");
  const pid_t holder = hold(name);
  std::atomic<bool> waits{false};
  std::thread killer([&] {
    while (!waits) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill_and_reap(holder);
  });
  EXPECT_TRUE(NamedLock::acquire(name, [&] { waits = true; }).has_value());
  EXPECT_TRUE(waits) << "it was free although another process held it";
  killer.join();
}

TEST(NamedLock, IsFreeWhenDestroyedAndApartFromOthers) {
  for (int i = 0; i < 3; ++i) {
    const auto one = NamedLock::acquire(own_name("one"), [] { FAIL() << "it was free"; });
    const auto other = NamedLock::acquire(own_name("other"), [] { FAIL() << "it was free"; });
    EXPECT_TRUE(one && other);
  }
}

TEST(NamedLock, AHolderThatTakesItAgainAtOnceStarvesNobody) {
  const std::string name = own_name("again");
  std::atomic<bool> stop{false};
  std::atomic<int> turns{0};
  std::thread greedy([&] {
    while (!stop) {
      const auto held = NamedLock::acquire(name);
      ++turns;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  while (turns < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  int most = 0;
  for (int i = 0; i < 3; ++i) {
    const int before = turns;
    EXPECT_TRUE(NamedLock::acquire(name));
    most = std::max(most, turns - before);
  }
  stop = true;
  greedy.join();
  EXPECT_LE(most, 2) << "turns of the other one while this one waited";
}

TEST(NamedLock, WaitingEndsWithAnInterrupt) {
  const std::string name = own_name("interrupt");
  const auto held = NamedLock::acquire(name);
  const auto second = NamedLock::acquire(name, [] { interrupt(); });
  clear_interrupt();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "interrupted");
}

TEST(NamedLock, ANameThatCanNotBeIsAnError) {
  for (const std::string& name : {std::string(), std::string(500, 'x')}) EXPECT_FALSE(NamedLock::acquire(name));
}

}  // namespace
}  // namespace kbv
