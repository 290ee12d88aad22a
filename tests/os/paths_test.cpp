// SPDX-License-Identifier: MIT
// Host paths shown in a strict box.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "box.h"

namespace kbv {
namespace {
namespace fs = std::filesystem;

class PathsTest : public testing::Test {
 protected:
  void SetUp() override {
    KBV_NEEDS_STRICT();
    fs::create_directories(at("closed/venv/bin"));
    fs::create_directories(at("closed/venv/lib/inner"));
    fs::create_directories(at("real/version"));
    std::ofstream(at("closed/venv/bin/tool")) << "tool\n";
    std::ofstream(at("closed/venv/lib/inner/module")) << "module\n";
    std::ofstream(at("closed/other")) << "secret\n";
    std::ofstream(at("real/version/file")) << "real\n";
    fs::create_directory_symlink("real/version", at("relative"));
    fs::create_directory_symlink(at("relative"), at("absolute"));
    fs::create_symlink(at("absolute/file"), at("closed/link"));
    // As /root is: nobody else may enter.
    ASSERT_EQ(::chmod(at("closed").c_str(), 0700), 0);
  }

  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }

  std::string output_with(const std::vector<std::string>& paths, const std::string& script) const {
    LaunchSpec spec = shell_spec("cd " + folder_.path() + "; " + script);
    spec.read_only_paths = paths;
    return run_box(spec).output;
  }

  TemporaryFolder folder_;
};

TEST_F(PathsTest, AreReachedThroughClosedParents) {
  EXPECT_EQ(output_with({at("closed/venv")}, "cat closed/venv/bin/tool; ls closed"), "tool\nvenv\n");
}

TEST_F(PathsTest, MayLieInEachOther) {
  EXPECT_EQ(output_with({at("closed/venv/lib/inner"), at("closed/venv"), at("closed/venv/lib")},
                        "cat closed/venv/lib/inner/module closed/venv/bin/tool"),
            "module\ntool\n");
  EXPECT_EQ(output_with({at("closed/venv/lib/inner"), at("closed/venv/bin/tool")},
                        "cat closed/venv/lib/inner/module closed/venv/bin/tool; ls closed/venv"),
            "module\ntool\nbin\nlib\n");
}

TEST_F(PathsTest, LinksWork) {
  EXPECT_EQ(output_with({at("absolute")}, "cat absolute/file relative/file real/version/file"), "real\nreal\nreal\n");
  EXPECT_EQ(output_with({at("closed/link")}, "cat closed/link; ls closed"), "real\nlink\n");
  EXPECT_EQ(output_with({at("absolute/../version/./file")}, "cat real/version/file; ls real/version"), "real\nfile\n");
}

TEST_F(PathsTest, CanNotBeChanged) {
  ASSERT_EQ(::chmod(at("real/version").c_str(), 0777), 0);
  ASSERT_EQ(::chmod(at("real/version/file").c_str(), 0666), 0);
  EXPECT_EQ(
      output_with(
          {at("real")},
          "(echo x > real/version/new) 2>/dev/null; (echo x > real/version/file) 2>/dev/null; cat real/version/*"),
      "real\n");
}

TEST_F(PathsTest, ASingleFileIsShownAlone) {
  EXPECT_EQ(output_with({at("closed/venv/bin/tool")}, "cat closed/venv/bin/tool; ls -A . closed"),
            "tool\n.:\nclosed\n\nclosed:\nvenv\n");
}

TEST_F(PathsTest, AMissingOneIsAnError) {
  LaunchSpec spec = shell_spec("true");
  spec.read_only_paths = {at("not-there")};
  const auto process = Process::launch(spec);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().fault, Fault::usage);
  EXPECT_NE(process.error().message.find("not-there"), std::string::npos) << process.error().message;
}

TEST_F(PathsTest, SomeAreNeverShown) {
  for (const char* path : {"/", "/proc", "/proc/1", "/kbv/x/..", "/dev", "/tmp", "/usr/.."}) {
    LaunchSpec spec = shell_spec("true");
    spec.read_only_paths = {path};
    EXPECT_FALSE(Process::launch(spec)) << path;
  }
}

TEST_F(PathsTest, DeviceNodesCanBeUsed) {
  // Any device will do that isn't there by default.
  struct stat info{};
  if (::stat("/dev/tty", &info) != 0) GTEST_SKIP() << "no /dev/tty";
  LaunchSpec spec = shell_spec("test -c /dev/tty && test -w /dev/tty && echo there");
  spec.device_nodes = {"/dev/tty"};
  EXPECT_EQ(run_box(spec).output, "there\n");
}

}  // namespace
}  // namespace kbv
