// SPDX-License-Identifier: MIT
#include "os/box_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/fd.h"
#include "os/mounts.h"

namespace kbv {
namespace {

constexpr int k_max_depth = 32;

/// Empties a folder. Deeper than k_max_depth, a folder is moved up to `top` and emptied in a later round, so neither
/// the stack nor the descriptors run out. Returns whether anything was moved.
bool empty_folder(int top, int folder, int depth, unsigned long& serial) {
  bool moved = false;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = copy < 0 ? nullptr : ::fdopendir(copy);
  if (!entries) {
    if (copy >= 0) ::close(copy);
    return false;
  }
  while (const dirent* entry = ::readdir(entries)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (::unlinkat(folder, entry->d_name, 0) == 0) continue;
    if (::unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0) continue;
    if (depth >= k_max_depth) {
      const std::string name = "kbv-deep-" + std::to_string(serial++);
      // A folder can be moved only by one who may write in it.
      ::fchmodat(folder, entry->d_name, 0700, 0);
      if (::renameat(folder, entry->d_name, top, name.c_str()) == 0) moved = true;
      continue;
    }
    // The owner may have closed it to itself.
    ::fchmodat(folder, entry->d_name, 0700, 0);
    const Fd below(::openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!below) continue;
    moved |= empty_folder(top, below.get(), depth + 1, serial);
    ::unlinkat(folder, entry->d_name, AT_REMOVEDIR);
  }
  ::closedir(entries);
  return moved;
}

}  // namespace

Result<void> check_file_name(const std::string& name) {
  std::istringstream parts(name);
  bool good = !name.empty() && name.front() != '/' && name.back() != '/' && name.find('\0') == std::string::npos;
  for (std::string part; std::getline(parts, part, '/');) good = good && !part.empty() && part != "." && part != "..";
  if (!good) return fail(Fault::usage, "bad_file_name", "'" + name + "' is not a plain relative file name");
  return {};
}

Result<void> write_files(const std::string& folder, const std::vector<InjectedFile>& files, uid_t owner) {
  for (const auto& file : files) {
    KBV_TRY(check_file_name(file.name));
    const std::string path = folder + "/" + file.name;
    KBV_TRY(write_new_file(path, file.bytes, file.writable ? 0644 : 0444));
    if (file.writable && owner != 0 && ::lchown(path.c_str(), owner, owner) != 0) return fail_errno("chown");
  }
  return {};
}

Result<std::string> make_host_folder(const LaunchSpec& spec, uid_t owner) {
  const char* tmp = std::getenv("TMPDIR");
  std::string folder = std::string(tmp && tmp[0] == '/' ? tmp : "/tmp") + "/kbv-box-XXXXXX";
  if (!::mkdtemp(folder.data())) return fail_errno(folder.c_str());
  const auto fill = [&]() -> Result<void> {
    for (const char* name : {"tmp", "home", "build"}) KBV_TRY(make_folders(folder + "/" + name));
    KBV_TRY(write_files(folder, spec.files, owner));
    if (owner == 0) return {};
    for (const char* name : {"", "/tmp", "/home", "/build"})
      if (::chown((folder + name).c_str(), *name ? owner : 0, owner) != 0) return fail_errno("chown");
    // Its folder is the judge's own, which it may look into.
    if (::chmod(folder.c_str(), 0750) != 0) return fail_errno("chmod");
    return {};
  };
  if (auto filled = fill(); !filled) {
    remove_folder(folder);
    return tl::make_unexpected(std::move(filled).error());
  }
  return folder;
}

void remove_folder(const std::string& folder) {
  const Fd top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!top) return;
  unsigned long serial = 0;
  while (empty_folder(top.get(), top.get(), 0, serial)) {
  }
  ::rmdir(folder.c_str());
}

}  // namespace kbv
