// SPDX-License-Identifier: MIT
#include "os/mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "base/fd.h"
#include "base/file.h"

namespace kbv {
namespace {

constexpr std::uint64_t k_tmpfs_inodes = 262'144;  // each costs the kernel about 1 KiB

// From linux/mount.h, which older systems lack and which clashes with sys/mount.h in some.
constexpr std::uint64_t k_attr_read_only = 0x1, k_attr_nosuid = 0x2, k_attr_nodev = 0x4;
constexpr unsigned k_at_recursive = 0x8000;
struct MountAttributes {
  std::uint64_t set = 0, clear = 0, propagation = 0, userns_fd = 0;
};

Result<void> fail_path(const char* what, const std::string& path) {
  return fail_errno((std::string(what) + " " + path).c_str());
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

/// mountinfo writes a space as \040 and so on.
std::string unescape(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// The mount points at and below `path`.
std::vector<std::string> mounts_below(const std::string& path) {
  // This may run before the new root has a /proc of its own.
  std::string table = read_small("/proc/self/mountinfo");
  if (table.empty()) table = read_small("/oldroot/proc/self/mountinfo");
  std::vector<std::string> points;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, root, point;
    fields >> id >> parent >> device >> root >> point;
    point = unescape(point);
    if (point == path || point.rfind(path + "/", 0) == 0) points.push_back(point);
  }
  return points;
}

/// Adds flags to one mount. In a user namespace those that the host set are locked, so they must be named again.
Result<void> remount_with(const std::string& path, unsigned long flags) {
  struct statvfs now{};
  if (::statvfs(path.c_str(), &now) != 0) return fail_path("statvfs", path);
  const std::pair<unsigned long, unsigned long> pairs[] = {
      {ST_RDONLY, MS_RDONLY},   {ST_NOSUID, MS_NOSUID},         {ST_NODEV, MS_NODEV},      {ST_NOEXEC, MS_NOEXEC},
      {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME}, {ST_RELATIME, MS_RELATIME}};
  for (const auto& [has, flag] : pairs)
    if ((now.f_flag & has) != 0) flags |= flag;
  if (::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | flags, nullptr) != 0)
    return fail_path("remount", path);
  return {};
}

Result<void> protect_below(const std::string& path, Access access) {
  MountAttributes attributes;
  attributes.set = k_attr_nosuid;
  if (access != Access::device) attributes.set |= k_attr_nodev;
  if (access == Access::read_only) attributes.set |= k_attr_read_only;
#ifdef SYS_mount_setattr
  if (::syscall(SYS_mount_setattr, AT_FDCWD, path.c_str(), k_at_recursive, &attributes, sizeof attributes) == 0)
    return {};
  if (errno != ENOSYS && errno != EPERM) return fail_path("mount_setattr", path);
#endif
  // Before Linux 5.12, or forbidden by a container's filter: one mount at a time.
  unsigned long flags = MS_NOSUID;
  if (access != Access::device) flags |= MS_NODEV;
  if (access == Access::read_only) flags |= MS_RDONLY;
  for (const auto& point : mounts_below(path)) {
    const auto done = remount_with(point, flags);
    // A mount below that can't even be looked at (a FUSE of another user) can't be used either.
    if (!done && point == path) return done;
  }
  return {};
}

}  // namespace

Result<void> make_folders(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || path == "/") return fail_path("mkdir", path);
  KBV_TRY(make_folders(parent_of(path)));
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return fail_path("mkdir", path);
  return {};
}

Result<void> make_file(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0) return {};
  return write_new_file(path, "", 0644);
}

Result<void> write_new_file(const std::string& path, const std::string& bytes, mode_t mode) {
  KBV_TRY(make_folders(parent_of(path)));
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail_path("create", path);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0) return fail_path("write", path);
    done += static_cast<std::size_t>(n);
  }
  if (::fchmod(fd.get(), mode) != 0) return fail_path("chmod", path);
  return {};
}

Result<void> mount_tmpfs(const std::string& path, std::uint64_t bytes, mode_t mode) {
  KBV_TRY(make_folders(path));
  std::ostringstream options;
  options << "size=" << std::max<std::uint64_t>(bytes, 4096) << ",nr_inodes=" << k_tmpfs_inodes << ",mode=" << std::oct
          << mode;
  if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.str().c_str()) != 0)
    return fail_path("mount tmpfs", path);
  return {};
}

Result<void> bind_mount(const std::string& source, const std::string& target, Access access) {
  struct stat info{};
  if (::stat(source.c_str(), &info) != 0) return fail_path("stat", source);
  if (S_ISDIR(info.st_mode)) {
    KBV_TRY(make_folders(target));
  } else {
    KBV_TRY(make_file(target));
  }
  // Always recursive: in a user namespace the kernel refuses to show what the host hid below other mounts.
  if (::mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
    return fail_path("bind", source);
  return protect_below(target, access);
}

Result<void> make_read_only(const std::string& path) { return remount_with(path, MS_RDONLY); }

Result<void> pivot(const std::string& new_root, const std::string& put_old) {
  if (::syscall(SYS_pivot_root, new_root.c_str(), put_old.c_str()) != 0) return fail_path("pivot_root", new_root);
  if (::chdir("/") != 0) return fail_errno("chdir");
  return {};
}

}  // namespace kbv
