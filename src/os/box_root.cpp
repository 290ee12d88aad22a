// SPDX-License-Identifier: MIT
// Theory of operation. Everything happens on private tmpfs mounts, so the host gets no folder and no file of ours, and
// all of it is gone with the last process of the mount namespace:
//   1. a tmpfs over /tmp becomes the root (pivot_root); the host is then at /oldroot, its /tmp visible again;
//   2. the box's root is put together at /newroot, from binds out of /oldroot;
//   3. a second pivot_root makes it the root, and everything else is detached.
// Host paths are resolved by hand below /oldroot, since the kernel would follow an absolute link into the new root.
// Their parents are fresh folders with mode 0755, so a Python below /root can be reached by a user who can't enter
// /root.
#include "os/box_root.h"

#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "os/box_folder.h"
#include "os/mounts.h"

namespace kbv {
namespace {

const std::string k_old = "/oldroot";
const std::string k_new = "/newroot";
constexpr std::uint64_t k_root_bytes = 16u << 20;

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.rfind(folder + "/", 0) == 0;
}

std::string read_link(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t n = ::readlink(path.c_str(), target, sizeof target);
  return n > 0 ? std::string(target, static_cast<std::size_t>(n)) : std::string();
}

/// Makes host paths visible at the same place in the new root.
class Exposer {
 public:
  /// The links on the way to `path` are made in the new root too, so every name of it works inside.
  Result<void> expose(const std::string& path, Access access) {
    std::deque<std::string> parts;
    push_front(parts, path);
    std::string real;
    for (int links = 0; !parts.empty();) {
      const std::string part = std::move(parts.front());
      parts.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        real.resize(real.empty() ? 0 : real.rfind('/'));
        continue;
      }
      const std::string next = real + "/" + part;
      struct stat info{};
      if (::lstat((k_old + next).c_str(), &info) != 0)
        return fail(Fault::usage, "bad_path", fail_errno(path.c_str()).value().message);
      if (!S_ISLNK(info.st_mode)) {
        real = next;
        continue;
      }
      const std::string target = read_link(k_old + next);
      if (target.empty() || ++links > 40) return fail(Fault::usage, "bad_path", path + ": too many links");
      KBV_TRY(make_link(target, next));
      if (target.front() == '/') real.clear();
      push_front(parts, target);
    }
    return show(real, path, access);
  }

 private:
  static void push_front(std::deque<std::string>& parts, const std::string& path) {
    std::vector<std::string> split;
    std::istringstream stream(path);
    for (std::string part; std::getline(stream, part, '/');) split.push_back(part);
    parts.insert(parts.begin(), split.begin(), split.end());
  }

  Result<void> make_link(const std::string& target, const std::string& at) {
    if (is_shown(at)) return {};
    const std::string path = k_new + at;
    KBV_TRY(make_folders(path.substr(0, path.rfind('/'))));
    if (::symlink(target.c_str(), path.c_str()) != 0 && errno != EEXIST) return fail_errno(at.c_str());
    return {};
  }

  Result<void> show(const std::string& real, const std::string& asked, Access access) {
    if (is_shown(real)) return {};
    const bool reserved = real.empty() || is_below(real, "/proc") || is_below(real, k_box_folder) || real == "/tmp" ||
                          (access == Access::read_only && is_below(real, "/dev"));
    if (reserved) return fail(Fault::usage, "bad_path", asked + ": this path can't be shown in a box");
    KBV_TRY(bind_mount(k_old + real, k_new + real, access));
    shown_.push_back(real);
    return {};
  }

  bool is_shown(const std::string& path) const {
    return std::any_of(shown_.begin(), shown_.end(), [&](const auto& folder) { return is_below(path, folder); });
  }

  std::vector<std::string> shown_;
};

bool exists(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

Result<void> enter_staging() {
  // Later mounts of the host may still arrive, ours must not leave.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return fail_errno("make mounts private");
  const std::string stage = "/tmp";
  if (::mount("tmpfs", stage.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") != 0)
    return fail_errno("mount tmpfs over /tmp");
  KBV_TRY(make_folders(stage + k_old));
  KBV_TRY(mount_tmpfs(stage + k_new, k_root_bytes, 0755));
  return pivot(stage, stage + k_old);
}

Result<void> write_etc(Exposer& exposer, uid_t uid) {
  for (const char* name : {"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime"}) {
    const std::string path = std::string("/etc/") + name;
    // A dangling link to a time zone is no reason to fail.
    if (exists(k_old + path)) [[maybe_unused]]
      const auto shown = exposer.expose(path, Access::read_only);
  }
  const std::string id = std::to_string(uid == 0 ? ::getuid() : uid);
  const std::string gid = std::to_string(uid == 0 ? ::getgid() : uid);
  const std::string box = k_box_folder;
  const std::pair<const char*, std::string> files[] = {
      {"passwd", "kbv:x:" + id + ":" + gid + "::" + box + "/home:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"},
      {"group", "kbv:x:" + gid + ":\nnogroup:x:65534:\n"},
      {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
      {"hosts", "127.0.0.1 localhost kbv\n"},
  };
  for (const auto& [name, text] : files) KBV_TRY(write_new_file(k_new + "/etc/" + name, text, 0444));
  return {};
}

Result<void> make_minimal_dev(Exposer& exposer) {
  for (const char* name : {"null", "zero", "full", "random", "urandom"})
    KBV_TRY(exposer.expose(std::string("/dev/") + name, Access::device));
  const std::pair<const char*, const char*> links[] = {{"fd", "/proc/self/fd"},
                                                       {"stdin", "/proc/self/fd/0"},
                                                       {"stdout", "/proc/self/fd/1"},
                                                       {"stderr", "/proc/self/fd/2"}};
  for (const auto& [name, target] : links)
    if (::symlink(target, (k_new + "/dev/" + name).c_str()) != 0) return fail_errno(name);
  return {};
}

Result<void> make_minimal(Exposer& exposer, uid_t uid) {
  for (const char* path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys"})
    if (exists(k_old + path)) KBV_TRY(exposer.expose(path, Access::read_only));
  KBV_TRY(write_etc(exposer, uid));
  return make_minimal_dev(exposer);
}

Result<void> make_like_host(Exposer& exposer, uid_t uid) {
  DIR* folder = ::opendir(k_old.c_str());
  if (!folder) return fail_errno("opendir /");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder)) names.emplace_back(entry->d_name);
  ::closedir(folder);
  for (const auto& name : names) {
    const std::string path = "/" + name;
    struct stat info{};
    if (name == "." || name == ".." || name == "proc" || name == "tmp" || path == k_box_folder) continue;
    if (::lstat((k_old + path).c_str(), &info) != 0) continue;
    const bool closed = S_ISDIR(info.st_mode) && (info.st_mode & 1) == 0;
    if (S_ISREG(info.st_mode)) continue;
    // What the program couldn't enter anyway stays a fresh folder, below which the spec's paths can be shown.
    if (uid != 0 && closed) continue;
    // A mount that we may not look into (a FUSE of another user) is left out.
    [[maybe_unused]] const auto shown = exposer.expose(path, name == "dev" ? Access::device : Access::read_only);
  }
  return {};
}

Result<void> make_box_folder(const LaunchSpec& spec, uid_t uid) {
  const std::string box = k_new + k_box_folder;
  KBV_TRY(mount_tmpfs(box, spec.limits.tmp_bytes, 0755));
  const std::pair<const char*, mode_t> folders[] = {{"/tmp", 01777}, {"/home", 0700}, {"/build", 0700}};
  for (const auto& [name, mode] : folders) {
    const std::string path = box + name;
    KBV_TRY(mount_tmpfs(path, spec.limits.tmp_bytes, mode));
    if (uid != 0 && ::chown(path.c_str(), uid, uid) != 0) return fail_errno(path.c_str());
  }
  KBV_TRY(write_files(box, spec.files, uid));
  for (const auto& file : spec.files) {
    const std::string path = box + "/" + file.name;
    // A mount of its own, since the folder around it becomes read-only.
    if (file.writable) KBV_TRY(bind_mount(path, path, Access::read_write));
  }
  KBV_TRY(make_read_only(box));
  return bind_mount(box + "/tmp", k_new + "/tmp", Access::read_write);
}

Result<void> leave_staging() {
  if (::chdir(k_new.c_str()) != 0) return fail_errno("chdir");
  // The old root lands on top of the new one, and is taken off at once.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return fail_errno("pivot_root");
  if (::umount2(".", MNT_DETACH) != 0) return fail_errno("umount of the host's root");
  if (::chdir("/") != 0) return fail_errno("chdir");
  return {};
}

}  // namespace

Result<void> enter_box_root(const LaunchSpec& spec, RootKind kind, uid_t uid) {
  KBV_TRY(enter_staging());
  Exposer exposer;
  KBV_TRY(kind == RootKind::minimal ? make_minimal(exposer, uid) : make_like_host(exposer, uid));
  KBV_TRY(make_box_folder(spec, uid));
  // Below the host's own /dev nothing is made: it is covered if it is there.
  if (kind == RootKind::minimal || exists(k_new + "/dev/shm"))
    KBV_TRY(mount_tmpfs(k_new + "/dev/shm", spec.limits.tmp_bytes, 01777));
  // Outer folders first, so that what lies below them needs no mount of its own.
  std::vector<std::string> paths = spec.read_only_paths;
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) KBV_TRY(exposer.expose(path, Access::read_only));
  for (const auto& path : spec.device_nodes) KBV_TRY(exposer.expose(path, Access::device));
  KBV_TRY(make_folders(k_new + "/proc"));
  if (::mount("proc", (k_new + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return fail_errno("mount /proc");
  KBV_TRY(make_read_only(k_new));
  return leave_staging();
}

}  // namespace kbv
