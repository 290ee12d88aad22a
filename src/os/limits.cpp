// SPDX-License-Identifier: MIT
#include "os/limits.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string>

#include "base/fd.h"
#include "base/file.h"

namespace kbv {
namespace {

Result<void> set_limit(__rlimit_resource_t resource, const char* name, std::uint64_t value) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return fail_errno(name);
  // The hard limit can't be raised without privilege; a lower one is as good a bound.
  const rlim_t bound = std::min<rlim_t>(value, now.rlim_max);
  const rlimit limit{bound, bound};
  if (::setrlimit(resource, &limit) != 0) return fail_errno(name);
  return {};
}

/// Threads of this user on the whole machine, roughly.
std::uint64_t threads_of_user(uid_t uid) {
  std::uint64_t threads = 0;
  DIR* folder = ::opendir("/proc");
  if (!folder) return 0;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const std::string path = std::string("/proc/") + entry->d_name;
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || info.st_uid != uid) continue;
    const std::string status = read_small(path + "/status");
    const auto at = status.find("\nThreads:\t");
    std::uint64_t count = 1;
    if (at != std::string::npos) std::from_chars(status.data() + at + 10, status.data() + status.size(), count);
    threads += count;
  }
  ::closedir(folder);
  return threads;
}

}  // namespace

Result<void> apply_limits(const BoxLimits& limits, bool shared_uid) {
  KBV_TRY(set_limit(RLIMIT_CORE, "RLIMIT_CORE", 0));
  KBV_TRY(set_limit(RLIMIT_FSIZE, "RLIMIT_FSIZE", limits.file_bytes));
  KBV_TRY(set_limit(RLIMIT_NOFILE, "RLIMIT_NOFILE", limits.open_files));
  const std::uint64_t others = shared_uid ? threads_of_user(::getuid()) : 0;
  return set_limit(RLIMIT_NPROC, "RLIMIT_NPROC", limits.processes + others);
}

std::uint64_t group_memory_bytes(const BoxLimits& limits, std::uint64_t memory_bytes) {
  // tmp, home, build and /dev/shm may each be full.
  return memory_bytes + memory_bytes / 8 + (256ull << 20) + 4 * limits.tmp_bytes;
}

void prefer_others() {
  [[maybe_unused]] const int now = ::nice(10);
  // Where sessions are scheduled against each other (sched_autogroup), that counts within the session only.
  const Fd fd(::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
  // The kernel takes one in a tenth of a second from all users together.
  for (int tries = 0; fd && tries < 30 && ::write(fd.get(), "10", 2) < 0 && errno == EAGAIN; ++tries) ::usleep(20'000);
}

void prefer_for_oom() {
  const Fd fd(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (fd) [[maybe_unused]]
    const ssize_t written = ::write(fd.get(), "1000", 4);
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

Result<void> drop_privileges() {
  // A key of the session the judge was started from, e.g. a user's Kerberos ticket, would be inherited.
  ::syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, nullptr);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // Fails without CAP_SETPCAP: then there are no capabilities to lose, and no_new_privs keeps it so.
  for (unsigned long capability = 0; capability < 64; ++capability) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  if (::syscall(SYS_capset, &header, none) != 0) return fail_errno("capset");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("no_new_privs");
  return {};
}

Result<void> become_user(uid_t uid) {
  if (::setgroups(0, nullptr) != 0) return fail_errno("setgroups");
  if (::setresgid(uid, uid, uid) != 0) return fail_errno("setresgid");
  if (::setresuid(uid, uid, uid) != 0) return fail_errno("setresuid");
  return {};
}

}  // namespace kbv
