// SPDX-License-Identifier: MIT
// stand_ins.py on small models: each stand-in gives what its name says. stand_ins_cases.py has them.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "worker/environment.h"

namespace kbv {
namespace {

TEST(StandIns, EachIsWhatItsNameSays) {
  const auto python = find_python("");
  if (!python || python->torch_version.empty()) GTEST_SKIP() << "skipped: no Python with PyTorch (KBV_PYTHON)";
  const std::string command =
      "'" + python->executable + "' -B '" KBV_TESTS "/stand_ins_cases.py' '" KBV_WORKER "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  const int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
}

}  // namespace
}  // namespace kbv
