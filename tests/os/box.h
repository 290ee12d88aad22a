// SPDX-License-Identifier: MIT
// Helpers for tests that start real boxes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "os/process.h"

namespace kbv {

IsolationProfile profile_named(const std::string& name);

/// A spec for "/bin/sh -c script".
LaunchSpec shell_spec(const std::string& script);

/// The last argument of each test program, by which this test run's are told from another's.
std::string marker();

/// A spec for this binary's "program <name> ...".
LaunchSpec program_spec(const std::string& name, const std::vector<std::string>& arguments = {});

struct Ended {
  ExitStatus status;
  std::string output;
  IsolationReport report;
};

/// Runs it to its end; a test failure and code -1 if it can't start or goes on for 60 s.
Ended run_box(LaunchSpec spec);

/// Launches, with a test failure if that fails.
std::unique_ptr<Process> start_box(LaunchSpec spec);

/// Looks every millisecond whether `done` holds; false after `seconds`.
bool eventually(double seconds, const std::function<bool()>& done);

/// Processes of this machine whose command line contains `text`.
std::vector<pid_t> processes_with(const std::string& text);

/// Whether full isolation is to be had here; if not, `why` says what is missing.
bool has_strict(std::string& why);

/// A folder of the host that is gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Tests that hold under every profile.
class EachProfile : public testing::TestWithParam<const char*> {
 protected:
  LaunchSpec with_profile(LaunchSpec spec) const {
    spec.profile = profile_named(GetParam());
    return spec;
  }
};

}  // namespace kbv

#define KBV_NEEDS_STRICT()                          \
  do {                                              \
    std::string why;                                \
    if (!kbv::has_strict(why)) GTEST_SKIP() << why; \
  } while (false)

#define KBV_EACH_PROFILE(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(Profiles, suite, testing::Values("none", "basic", "strict"), \
                           [](const auto& each) { return std::string(each.param); })
