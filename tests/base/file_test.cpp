// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class File : public testing::Test {
 protected:
  File() {
    std::string name = (fs::temp_directory_path() / "kbv-file-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~File() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

TEST_F(File, RoundTripOfAnyBytes) {
  const std::string bytes("a\0b\xff\n", 5);
  ASSERT_TRUE(write_file(path("x"), bytes));
  EXPECT_EQ(*read_file(path("x"), "file"), bytes);
  ASSERT_TRUE(write_file(path("x"), ""));
  EXPECT_EQ(*read_file(path("x"), "file"), "");
}

TEST_F(File, ErrorsNameWhatAndWhere) {
  for (const std::string& name : {path("absent"), folder_.string()}) {
    const auto read = read_file(name, "candidate");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().fault, Fault::usage);
    EXPECT_THAT(read.error().message, testing::AllOf(HasSubstr("candidate"), HasSubstr(name)));
  }
}

TEST_F(File, AFifoIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(read_file(path("fifo"), "problem").error().message, HasSubstr("not a regular file"));
}

TEST_F(File, LimitIsInclusive) {
  ASSERT_TRUE(write_file(path("x"), std::string(1 << 20, 'x')));
  EXPECT_TRUE(read_file(path("x"), "file", 1 << 20));
  EXPECT_THAT(read_file(path("x"), "file", (1 << 20) - 1).error().message, HasSubstr("larger than"));
}

TEST_F(File, AFailedWriteLeavesTheOldFileAndNoOther) {
  ASSERT_TRUE(write_file(path("x"), "old"));
  fs::create_directory(path("folder"));
  EXPECT_FALSE(write_file(path("folder"), "new"));
  EXPECT_FALSE(write_file(path("absent/x"), "new"));
  EXPECT_EQ(*read_file(path("x"), "file"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(File, DataComesFromTheFolderThatTheUserNames) {
  fs::create_directory(path("suite"));
  ::setenv("KBV_DATA", folder_.c_str(), 1);
  EXPECT_EQ(*data_path("suite"), path("suite"));
  EXPECT_EQ(data_path("zoo").error().fault, Fault::usage);
  ::unsetenv("KBV_DATA");
}

}  // namespace
}  // namespace kbv
