// SPDX-License-Identifier: MIT
#include "os/control_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/file.h"
#include "box.h"

namespace kbv {
namespace {

class ControlGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    const GroupProbe probe = probe_control_group();
    if (!probe.available) GTEST_SKIP() << probe.detail;
  }
};

/// A child that waits until it is in the group, then does `work` and ends with what that returns.
template <typename Work>
pid_t child_in(const ControlGroup& group, const Work& work) {
  int gate[2];
  EXPECT_EQ(::pipe(gate), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char go = 0;
    ::close(gate[1]);
    if (::read(gate[0], &go, 1) != 1) ::_exit(100);
    ::_exit(work());
  }
  ::close(gate[0]);
  const auto added = group.add(child);
  EXPECT_TRUE(added) << added.error().message;
  EXPECT_EQ(::write(gate[1], "g", 1), 1);
  ::close(gate[1]);
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

int touch(std::size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return 3;
  std::memset(data, 1, bytes);
  return 7;
}

TEST_F(ControlGroupTest, WhatTakesTooMuchMemoryIsEndedAndTold) {
  const ControlGroup group = ControlGroup::make({64u << 20, 0, false});
  ASSERT_TRUE(group.limits_all()) << group.missing();
  EXPECT_EQ(WEXITSTATUS(status_of(child_in(group, [] { return touch(16u << 20); }))), 7);
  EXPECT_FALSE(killed_for_memory(group.memory_events()));
  const int status = status_of(child_in(group, [] { return touch(256u << 20); }));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_TRUE(killed_for_memory(group.memory_events()));
}

TEST_F(ControlGroupTest, MoreMemoryCanBeAllowed) {
  const ControlGroup group = ControlGroup::make({64u << 20, 0, false});
  ASSERT_FALSE(group.memory_folder().empty());
  set_group_memory(group.memory_folder(), 512u << 20);
  EXPECT_EQ(WEXITSTATUS(status_of(child_in(group, [] { return touch(256u << 20); }))), 7);
}

TEST_F(ControlGroupTest, ProcessesAreCounted) {
  const ControlGroup group = ControlGroup::make({0, 8, false});
  const pid_t child = child_in(group, [] {
    int made = 0;
    for (; made < 50; ++made) {
      const pid_t one = ::fork();
      if (one < 0) break;
      if (one == 0) {
        ::pause();
        ::_exit(0);
      }
    }
    return made;
  });
  EXPECT_EQ(WEXITSTATUS(status_of(child)), 7);
}

TEST_F(ControlGroupTest, ItsEndIsTheEndOfAllInIt) {
  ControlGroup group = ControlGroup::make({1u << 30, 64, false});
  const std::string folder = group.memory_folder();
  // A grandchild in a session of its own, whose parent is gone.
  const pid_t child = child_in(group, [] {
    if (::fork() == 0) {
      ::setsid();
      ::signal(SIGTERM, SIG_IGN);
      while (true) ::pause();
    }
    return 0;
  });
  status_of(child);
  EXPECT_THAT(read_small(folder + "/cgroup.procs"), testing::Not(testing::IsEmpty()));
  group.end();
  struct stat info{};
  EXPECT_NE(::stat(folder.c_str(), &info), 0) << folder << " is left";
  group.end();
}

TEST_F(ControlGroupTest, ABoxLeavesNone) {
  const auto groups = [] {
    const ControlGroup probe = ControlGroup::make({1u << 30, 64, false});
    const std::string folder = probe.memory_folder();
    return folder.substr(0, folder.rfind('/'));
  };
  const std::string parent = groups();
  std::string inside;
  {
    LaunchSpec spec = program_spec("eat", {"1", "self"});
    spec.limits.memory_bytes = 300u << 20;
    const auto process = start_box(std::move(spec));
    ASSERT_TRUE(process);
    ASSERT_TRUE(eventually(30, [&] { return process->output() == "eaten\n"; }));
    const auto& layers = process->isolation().layers;
    EXPECT_THAT(layers, testing::Contains("cgroup"));
    const auto pids = processes_with(marker());
    ASSERT_FALSE(pids.empty());
    inside = read_small("/proc/" + std::to_string(pids.back()) + "/cgroup");
    EXPECT_THAT(inside, testing::HasSubstr("/kbv-box-"));
  }
  const auto start = inside.find("/kbv-box-");
  const std::string name = inside.substr(start, inside.find('\n', start) - start);
  struct stat info{};
  EXPECT_NE(::stat((parent + name).c_str(), &info), 0) << parent + name << " is left";
}

}  // namespace
}  // namespace kbv
