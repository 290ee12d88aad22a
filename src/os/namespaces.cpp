// SPDX-License-Identifier: MIT
#include "os/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <sstream>
#include <string_view>

#include "base/fd.h"
#include "base/file.h"

namespace kbv {
namespace {

template <typename Id>
std::string map_of(const std::vector<Id>& ids) {
  std::string map;
  for (const Id id : ids) map += std::to_string(id) + " " + std::to_string(id) + " 1\n";
  return map;
}

/// Whether this user namespace has a name for `id`.
bool is_mapped(const char* map_path, std::uint64_t id) {
  std::istringstream map(read_small(map_path));
  for (std::uint64_t inside = 0, outside = 0, count = 0; map >> inside >> outside >> count;)
    if (id >= inside && id - inside < count) return true;
  return false;
}

}  // namespace

Result<void> write_kernel_file(const std::string& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return fail_errno(path.c_str());
  return {};
}

Result<pid_t> fork_into(std::uint64_t flags) {
  // The raw call, since glibc's fork() takes no flags. Without CLONE_VM the child has its own copy of everything.
  const long pid = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid < 0) return fail_errno("clone");
  return static_cast<pid_t>(pid);
}

Result<void> map_ids(pid_t child, const std::vector<uid_t>& uids, const std::vector<gid_t>& gids, bool privileged) {
  const std::string folder = "/proc/" + std::to_string(child);
  if (!privileged) KBV_TRY(write_kernel_file(folder + "/setgroups", "deny"));
  KBV_TRY(write_kernel_file(folder + "/uid_map", map_of(uids)));
  return write_kernel_file(folder + "/gid_map", map_of(gids));
}

uid_t pick_box_uid() {
  // A live process's pid is unique, so boxes that run at the same time get different ids without any lock. The first
  // range is one that nobody hands out; a container may have mapped only the usual 65,536 ids.
  const auto pid = static_cast<uid_t>(::getpid());
  for (const uid_t uid : {1'900'000'000u + pid, 61'000u + pid % 4'000u, 65'534u})
    if (is_mapped("/proc/self/uid_map", uid) && is_mapped("/proc/self/gid_map", uid)) return uid;
  return 0;
}

Result<void> forbid_user_namespaces() { return write_kernel_file("/proc/sys/user/max_user_namespaces", "0"); }

}  // namespace kbv
