// SPDX-License-Identifier: MIT
// The workers' Python modules on small models: each *_cases.py beside this file says what it looks at.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "worker/environment.h"

namespace kbv {
namespace {

/// Runs one of them; its output is told if it fails.
void run_cases(const std::string& file) {
  const auto python = find_python("");
  if (!python || python->torch_version.empty()) GTEST_SKIP() << "skipped: no Python with PyTorch (KBV_PYTHON)";
  const std::string command = "'" + python->executable + "' -B '" KBV_TESTS "/" + file + "' '" KBV_WORKER "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  const int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
}

TEST(Vary, NewParametersReachWhateverKeepsThem) { run_cases("vary_cases.py"); }

TEST(StandIns, EachIsWhatItsNameSays) { run_cases("stand_ins_cases.py"); }

TEST(Reach, AnActivationThatIdlesIsBroughtToLife) { run_cases("reach_cases.py"); }

TEST(Noise, RightRandomNumbersAreToldFromWrongOnes) { run_cases("noise_cases.py"); }

TEST(Oracle, InPartsIsTheSameWhereSamplesAreTreatedApart) { run_cases("oracle_cases.py"); }

}  // namespace
}  // namespace kbv
