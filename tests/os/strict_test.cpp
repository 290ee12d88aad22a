// SPDX-License-Identifier: MIT
// What a strict box must not let a program see or do.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/file.h"
#include "box.h"
#include "os/control_group.h"
#include "os/landlock.h"

namespace kbv {
namespace {

class StrictTest : public testing::Test {
 protected:
  void SetUp() override { KBV_NEEDS_STRICT(); }

  static std::string output_of(const std::string& script) {
    LaunchSpec spec = shell_spec(script);
    spec.profile = IsolationProfile::strict;
    return run_box(spec).output;
  }
};

TEST_F(StrictTest, ReportsAllLayers) {
  LaunchSpec spec = shell_spec("true");
  const Ended ended = run_box(spec);
  EXPECT_EQ(ended.report.level, "strict");
  // A kernel without Landlock costs no level, and is told.
  std::string why;
  const bool landlock = landlock_abi(why) > 0;
  const GroupProbe group = probe_control_group();
  std::vector<std::string> missing;
  if (!landlock) missing.push_back("landlock: " + why);
  if (!group.available) missing.push_back("cgroup: " + group.detail);
  EXPECT_EQ(ended.report.missing, missing);
  EXPECT_EQ(std::count(ended.report.layers.begin(), ended.report.layers.end(), "cgroup"), group.available ? 1 : 0);
  EXPECT_EQ(std::count(ended.report.layers.begin(), ended.report.layers.end(), "landlock"), landlock ? 1 : 0);
  for (const char* layer : {"pid", "mount", "root", "net", "ipc", "uts", "user", "seccomp"})
    EXPECT_EQ(std::count(ended.report.layers.begin(), ended.report.layers.end(), layer), 1) << layer;
  EXPECT_EQ(std::count(ended.report.layers.begin(), ended.report.layers.end(), "uid"), ::geteuid() == 0 ? 1 : 0);
}

TEST_F(StrictTest, HasNoNetwork) {
  EXPECT_EQ(output_of("tail -n +3 /proc/net/dev | grep -cv ' lo:'; grep -c 00000000 /proc/net/route"), "0\n0\n");
}

TEST_F(StrictTest, SeesNothingOfTheHost) {
  EXPECT_EQ(
      output_of(
          "ls -A / | tr '\\n' ' '; ls -d /root /home /work /opt /var /mnt /run /tmp/* /etc/shadow 2>/dev/null; true"),
      [] {
        std::string expected;
        struct stat info{};
        for (const char* name :
             {"bin", "dev", "etc", "kbv", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "tmp", "usr"})
          if (::lstat(("/" + std::string(name)).c_str(), &info) == 0 || std::string(name) == "kbv")
            expected += std::string(name) + " ";
        return expected;
      }());
}

TEST_F(StrictTest, SeesOnlyItsOwnProcesses) {
  // The keeper, the shell, and what the pipeline starts.
  const std::string count = output_of("ls -d /proc/[0-9]* | wc -l");
  EXPECT_LE(std::stoi(count), 4) << count;
  EXPECT_EQ(output_of("cat /proc/1/comm; kill -9 1; kill -STOP 1; sleep 0.1; cat /proc/1/comm").substr(0, 11),
            "kbv-keeper\n");
  EXPECT_EQ(output_of("ls /proc/1/fd 2>&1 | grep -c denied; cat /proc/1/environ 2>&1 | grep -c denied"), "1\n1\n");
}

TEST_F(StrictTest, IsAnUnprivilegedUser) {
  const std::string id = output_of("id -u; id -G; id -un");
  EXPECT_NE(id.substr(0, 2), "0\n") << id;
  EXPECT_EQ(std::count(id.begin(), id.end(), ' '), 0) << "more than one group: " << id;
  EXPECT_NE(id.find("kbv\n"), std::string::npos) << id;
}

TEST_F(StrictTest, TwoBoxesAreTwoUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has other users to give";
  LaunchSpec spec = shell_spec("id -u; sleep 100");
  const auto one = start_box(spec), two = start_box(spec);
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(eventually(10, [&] { return !one->output().empty() && !two->output().empty(); }));
  EXPECT_NE(one->output(), two->output());
}

TEST_F(StrictTest, CanNotMakeUserNamespaces) {
  EXPECT_EQ(output_of("unshare -U true 2>/dev/null && echo made; unshare -Ur true 2>/dev/null && echo made; "
                      "echo 1000 2>/dev/null > /proc/sys/user/max_user_namespaces && echo raised; true")
                .find("made"),
            std::string::npos);
}

TEST_F(StrictTest, CanNotChangeTheSystem) {
  EXPECT_EQ(
      output_of("for f in /x /usr/x /etc/x /sys/x /kbv/x /dev/x /proc/sys/kernel/hostname; do "
                "(echo x > $f) 2>/dev/null && echo wrote $f; done; "
                "mount -t tmpfs none /tmp 2>/dev/null && echo mounted; umount /usr 2>/dev/null && echo unmounted; "
                "mount -o remount,rw /usr 2>/dev/null && echo remounted; true"),
      "");
}

TEST_F(StrictTest, SetUidProgramsGiveNothing) {
  EXPECT_EQ(output_of("grep -q ' / .*nosuid' /proc/mounts && grep -E '^[^ ]+ /usr ' /proc/mounts | grep -c nosuid"),
            "1\n");
}

TEST_F(StrictTest, TmpIsPrivateAndBounded) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/secret") << "s";
  LaunchSpec spec = shell_spec(
      "ls -A /tmp /dev/shm; dd if=/dev/zero of=/tmp/f bs=64k count=1000 2>&1 | grep -c 'No space'; "
      "rm /tmp/f; dd if=/dev/zero of=/dev/shm/f bs=64k count=1000 2>&1 | grep -c 'No space'; "
      "dd if=/dev/zero of=/kbv/build/f bs=64k count=1000 2>&1 | grep -c 'No space'");
  spec.limits.tmp_bytes = 8u << 20;
  EXPECT_EQ(run_box(spec).output, "/dev/shm:\n\n/tmp:\n1\n1\n1\n");
}

TEST_F(StrictTest, HasTheUsualDevices) {
  EXPECT_EQ(output_of("head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo x > /dev/null && echo ok; "
                      "echo out > /dev/stdout; (echo x > /dev/full) 2>/dev/null || echo full; ls /dev/sda /dev/vda "
                      "/dev/kvm /dev/mem "
                      "/dev/tty 2>/dev/null; true"),
            "3\n3\nok\nout\nfull\n");
}

TEST_F(StrictTest, SysIsThere) { EXPECT_EQ(output_of("ls -d /sys/devices/system/cpu"), "/sys/devices/system/cpu\n"); }

TEST_F(StrictTest, APythonRuns) {
  if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "no /usr/bin/python3";
  LaunchSpec spec = shell_spec("");
  spec.argv = {"/usr/bin/python3", "-I", "-c",
               "import os, pwd, tempfile, threading, subprocess, multiprocessing.synchronize\n"
               "open(f'/proc/{os.getpid()}/task/{threading.get_native_id()}/comm', 'w').write('renamed')\n"
               "multiprocessing.Lock()\n"
               "tempfile.NamedTemporaryFile().write(b'x')\n"
               "print(pwd.getpwuid(os.getuid()).pw_name, subprocess.check_output(['echo', 'sub']))"};
  const Ended ended = run_box(spec);
  EXPECT_EQ(ended.output, "kbv b'sub\\n'\n");
}

TEST_F(StrictTest, TheHostNameIsHidden) { EXPECT_EQ(output_of("uname -n"), "kbv\n"); }

TEST_F(StrictTest, TheHostKeepsItsMounts) {
  const std::string before = read_small("/proc/self/mounts");
  run_box(shell_spec("true"));
  EXPECT_EQ(read_small("/proc/self/mounts"), before);
}

TEST(BasicTest, SeesTheHostButCanNotChangeIt) {
  LaunchSpec spec = shell_spec(
      "ls -d /etc/passwd; ls -A /tmp; for f in /etc/x /usr/x /var/tmp/x /x; do (echo x > $f) 2>/dev/null && "
      "echo wrote $f; done; echo x > /tmp/x && cat /tmp/x; ls -d /proc/[0-9]* | wc -l");
  spec.profile = IsolationProfile::basic;
  const Ended ended = run_box(spec);
  if (ended.report.level != "basic") GTEST_SKIP() << ended.report.missing.at(0);
  EXPECT_EQ(ended.output.substr(0, 14), "/etc/passwd\nx\n") << ended.output;
  EXPECT_LE(std::stoi(ended.output.substr(14)), 4);
}

TEST(ProbeTest, TellsOfEachLayer) {
  const auto probes = probe_isolation();
  std::string why;
  const bool strict = has_strict(why);
  for (const char* layer :
       {"uid", "user", "pid", "mount", "root", "net", "ipc", "uts", "memory watch", "seccomp", "landlock", "cgroup"}) {
    const auto found =
        std::find_if(probes.begin(), probes.end(), [&](const auto& probe) { return probe.layer == layer; });
    ASSERT_NE(found, probes.end()) << layer;
    if (!found->available) {
      EXPECT_FALSE(found->reason.empty()) << layer;
    }
    if (strict &&
        (found->layer == "pid" || found->layer == "mount" || found->layer == "root" || found->layer == "net")) {
      EXPECT_TRUE(found->available) << layer << ": " << found->reason;
    }
  }
}

}  // namespace
}  // namespace kbv
