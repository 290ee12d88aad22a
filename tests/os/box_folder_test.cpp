// SPDX-License-Identifier: MIT
#include "os/box_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "box.h"

namespace kbv {
namespace {
namespace fs = std::filesystem;

TEST(FileNameTest, OnlyPlainOnes) {
  for (const char* good : {"a", "a/b.c", "..a", "a..", "-", "a b"}) EXPECT_TRUE(check_file_name(good)) << good;
  for (const std::string bad : {"", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "a/."})
    EXPECT_FALSE(check_file_name(bad)) << bad;
  EXPECT_FALSE(check_file_name(std::string("a\0b", 3)));
}

TEST(RemoveFolderTest, TakesClosedAndDeepFoldersAndNoOthers) {
  TemporaryFolder outside;
  std::ofstream(outside.path() + "/kept") << "kept";
  TemporaryFolder parent;
  const std::string folder = parent.path() + "/box";
  fs::create_directories(folder + "/closed/inner");
  std::ofstream(folder + "/closed/inner/f") << "x";
  fs::create_directory_symlink(outside.path(), folder + "/link");
  ASSERT_EQ(::chmod((folder + "/closed").c_str(), 0), 0);
  // Deeper than a path can be long.
  Fd at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  const std::string name(200, 'd');
  for (int depth = 0; depth < 2000; ++depth) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0755), 0);
    at = Fd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_TRUE(at);
  }
  at.reset();
  remove_folder(folder);
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_TRUE(fs::exists(outside.path() + "/kept"));
}

TEST(RemoveFolderTest, AMissingOneIsFine) { remove_folder("/no/such/folder"); }

}  // namespace
}  // namespace kbv
