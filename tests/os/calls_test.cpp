// SPDX-License-Identifier: MIT
// The filter of system calls, and Landlock.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <sstream>

#include "box.h"
#include "os/call_rules.h"
#include "os/landlock.h"

namespace kbv {
namespace {

/// "name errno" or "name done", of each line.
std::map<std::string, std::string> outcomes(const std::string& output) {
  std::map<std::string, std::string> found;
  std::istringstream lines(output);
  for (std::string name, what; lines >> name >> what;) found[name] = what;
  return found;
}

bool has_layer(const IsolationReport& report, const std::string& layer) {
  return std::count(report.layers.begin(), report.layers.end(), layer) == 1;
}

class Calls : public testing::TestWithParam<const char*> {
 protected:
  LaunchSpec spec(const std::string& name, const std::vector<std::string>& arguments = {}) {
    LaunchSpec spec = program_spec(name, arguments);
    spec.profile = profile_named(GetParam());
    return spec;
  }
};

TEST_P(Calls, WhatNoKernelNeedsIsRefused) {
  const Ended ended = run_box(spec("calls"));
  ASSERT_TRUE(has_layer(ended.report, "seccomp")) << ended.output;
  auto found = outcomes(ended.output);
  for (const char* name : {"ptrace", "process_vm_readv", "process_vm_writev", "bpf", "keyctl", "add_key", "unshare",
                           "unshare_net", "clone", "mount", "perf_event_open", "userfaultfd", "ioctl"})
    EXPECT_EQ(found[name], std::to_string(EPERM)) << name;
  EXPECT_EQ(found["io_uring_setup"], std::to_string(ENOSYS));
  for (const char* name : {"inet", "packet"}) EXPECT_EQ(found[name], std::to_string(EAFNOSUPPORT)) << name;
  for (const char* name : {"socketpair", "thread", "fork"}) EXPECT_EQ(found[name], "done") << name;
}

TEST_P(Calls, TheJudgeHearsWhichWereRefused) {
  auto process = start_box(spec("calls"));
  ASSERT_TRUE(process);
  ASSERT_TRUE(eventually(30, [&] { return process->exit_status().has_value(); }));
  std::map<std::string, bool> told;
  for (const auto& call : process->refused_calls()) {
    EXPECT_EQ(call.layer, "seccomp");
    EXPECT_TRUE(told.emplace(call.call, call.is_attack).second) << call.call << " is told twice";
  }
  for (const char* name : {"ptrace", "process_vm_readv", "bpf", "keyctl", "unshare", "clone", "mount", "ioctl"}) {
    ASSERT_TRUE(told.contains(name)) << name;
    EXPECT_TRUE(told[name]) << name;
  }
  for (const char* name : {"io_uring_setup", "perf_event_open", "socket"}) {
    ASSERT_TRUE(told.contains(name)) << name;
    EXPECT_FALSE(told[name]) << name;
  }
  EXPECT_FALSE(told.contains("clone3"));
}

TEST_P(Calls, AToolOfOursMayTrace) {
  LaunchSpec tool = spec("calls");
  tool.tool = BoxTool::debugger;
  auto found = outcomes(run_box(tool).output);
  EXPECT_EQ(found["ptrace"], "done");
  EXPECT_EQ(found["inet"], "done");
  EXPECT_EQ(found["bpf"], std::to_string(EPERM));
}

TEST_P(Calls, WritesStayInItsOwnFolders) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  LaunchSpec writes = spec("write", {folder.path() + "/made"});
  writes.read_only_paths.push_back(folder.path());
  const Ended ended = run_box(writes);
  auto found = outcomes(ended.output);
  EXPECT_EQ(found["inside"], "done");
  EXPECT_EQ(found["null"], "done");
  std::string why;
  if (landlock_abi(why) < k_least_landlock_abi) GTEST_SKIP() << "skipped: no Landlock: " << why;
  EXPECT_TRUE(has_layer(ended.report, "landlock"));
  EXPECT_NE(found["outside"], "done");
  EXPECT_NE(::access((folder.path() + "/made").c_str(), F_OK), 0);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Calls, testing::Values("basic", "strict"),
                         [](const auto& each) { return std::string(each.param); });

TEST(CallRules, EachNumberOnceWithItsReason) {
  for (const BoxTool tool : {BoxTool::none, BoxTool::debugger}) {
    std::set<long> numbers;
    for (const CallRule& rule : call_rules(tool)) {
      EXPECT_TRUE(numbers.insert(rule.number).second) << rule.name;
      EXPECT_GT(std::string(rule.reason).size(), 5u) << rule.name;
      EXPECT_GT(rule.error, 0) << rule.name;
    }
  }
}

}  // namespace
}  // namespace kbv
