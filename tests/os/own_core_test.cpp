// SPDX-License-Identifier: MIT
#include "os/own_core.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kbv {
namespace {

cpu_set_t cpus_of(pid_t thread) {
  cpu_set_t set;
  EXPECT_EQ(::sched_getaffinity(thread, sizeof set, &set), 0);
  return set;
}

TEST(OwnCore, PinsThisThreadAndKeepsOthersOffItsCore) {
  const cpu_set_t before = cpus_of(0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  {
    const OwnCore core({child});
    const cpu_set_t own = cpus_of(0), others = cpus_of(child);
    if (CPU_COUNT(&before) < 4) {
      EXPECT_TRUE(CPU_EQUAL(&own, &before)) << "too few CPUs to give one away";
      EXPECT_TRUE(CPU_EQUAL(&others, &before));
    } else {
      EXPECT_EQ(CPU_COUNT(&own), 1);
      cpu_set_t both;
      CPU_AND(&both, &own, &others);
      EXPECT_EQ(CPU_COUNT(&both), 0);
      EXPECT_EQ(CPU_COUNT(&others), 1) << "of its main thread";
    }
  }
  const cpu_set_t after = cpus_of(0);
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace kbv
