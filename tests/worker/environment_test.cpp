// SPDX-License-Identifier: MIT
#include "worker/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kbv {
namespace {

TEST(WorkerEnvironment, NothingOfTheUsersOwnGoesIn) {
  for (const char* name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH", "LD_PRELOAD", "PYTHONSTARTUP"})
    ::setenv(name, "secret-of-the-user", 1);
  const auto environment = worker_environment({"/opt/venv/bin/python", "3.11.7", "2.13.0", "", "", {}}, {}, "", "");
  for (const auto& line : environment) EXPECT_THAT(line, testing::Not(testing::HasSubstr("secret-of-the-user")));
  for (const char* name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH", "LD_PRELOAD", "PYTHONSTARTUP"}) ::unsetenv(name);
  EXPECT_THAT(environment, testing::Contains("CUDA_VISIBLE_DEVICES="));
}

TEST(WorkerEnvironment, CachesLieInTheBox) {
  const auto environment = worker_environment({"/opt/venv/bin/python", "3.11.7", "2.13.0", "", "", {}}, {}, "0", "9.0");
  for (const char* name : {"HOME=", "TMPDIR=", "TRITON_CACHE_DIR=", "TORCH_EXTENSIONS_DIR="})
    EXPECT_THAT(environment, testing::Contains(testing::StartsWith(name + std::string("{box}")))) << name;
  EXPECT_THAT(environment, testing::Contains("TORCH_CUDA_ARCH_LIST=9.0"));
  EXPECT_THAT(environment, testing::Contains("CUDA_VISIBLE_DEVICES=0"));
}

TEST(FindPython, AWrongPathIsBadUsageThatNamesIt) {
  const auto python = find_python("/nowhere/python");
  ASSERT_FALSE(python);
  EXPECT_EQ(python.error().fault, Fault::usage);
  EXPECT_THAT(python.error().message, testing::HasSubstr("/nowhere/python"));
}

TEST(FindPython, TheOneNamedInTheEnvironmentIsNotReplacedByAnother) {
  ::setenv("KBV_PYTHON", "/nowhere/python", 1);
  const auto python = find_python("");
  ::unsetenv("KBV_PYTHON");
  ASSERT_FALSE(python);
  EXPECT_THAT(python.error().message, testing::HasSubstr("KBV_PYTHON: /nowhere/python"));
}

TEST(ProgramPaths, ALinkNeedsWhatItLeadsTo) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "program-paths";
  std::filesystem::create_directories(folder / "kit/bin");
  std::filesystem::create_directories(folder / "links");
  std::ofstream(folder / "kit/bin/tool") << "#!/bin/sh\n";
  std::filesystem::create_symlink(folder / "kit/bin/tool", folder / "links/tool");
  const auto real = std::filesystem::canonical(folder);
  EXPECT_THAT(program_paths((folder / "links/tool").string()),
              testing::UnorderedElementsAre((folder / "links/tool").string(), (real / "kit/bin/tool").string(), (real / "kit").string()));
  EXPECT_THAT(program_paths((folder / "absent").string()), testing::IsEmpty());
  std::filesystem::remove_all(folder);
}

TEST(FindSanitizer, LooksInTheToolkitThatIsNamed) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "toolkit";
  std::filesystem::create_directories(folder / "compute-sanitizer");
  const auto program = folder / "compute-sanitizer/compute-sanitizer";
  std::ofstream(program) << "#!/bin/sh\n";
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  const char* path = std::getenv("PATH");
  const std::string before = path ? path : "";
  ::setenv("PATH", "/nowhere", 1);
  ::setenv("CUDA_HOME", folder.c_str(), 1);
  EXPECT_EQ(find_sanitizer(), program.string());
  ::unsetenv("CUDA_HOME");
  EXPECT_NE(find_sanitizer(), program.string());
  ::setenv("PATH", before.c_str(), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kbv
