// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/fd.h"

namespace kbv {
namespace fs = std::filesystem;

Result<std::string> read_file(const std::string& path, const std::string& what, std::uint64_t limit_bytes) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not hold the judge up
  if (!fd) {
    const auto text = fail_errno(path.c_str()).value().message;
    return fail(Fault::usage, "no_file", what + ": " + text);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno("fstat");
  if (!S_ISREG(info.st_mode)) return fail(Fault::usage, "no_file", what + ": " + path + ": not a regular file");
  if (static_cast<std::uint64_t>(info.st_size) > limit_bytes)
    return fail(Fault::usage, "too_large",
                what + ": " + path + ": larger than " + std::to_string(limit_bytes >> 20) + " MiB");
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0) return fail_errno(path.c_str());
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return fail_errno(path.c_str());
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (n <= 0) {
      auto error = fail_errno(path.c_str());
      ::unlink(temporary.c_str());
      return error;
    }
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(fd.get()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    auto error = fail_errno(path.c_str());
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

Result<std::string> data_path(const std::string& name) {
  std::error_code ignored;
  if (const char* root = std::getenv("KBV_DATA")) {
    const fs::path path = fs::path(root) / name;
    if (fs::exists(path, ignored)) return path.string();
    return fail(Fault::usage, "no_data", "KBV_DATA: " + path.string() + " does not exist");
  }
  const fs::path exe = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path path = exe.parent_path().parent_path() / "share" / "kbv" / name;
  if (fs::exists(path, ignored)) return path.string();
  return fail(Fault::machine, "no_data", path.string() + " does not exist; set KBV_DATA to the folder that holds " + name);
}

std::string state_path(const std::string& name) {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const std::string folder = state && *state ? state : std::string(home ? home : "") + "/.local/state";
  return folder + "/kbv/" + name;
}

std::string read_small(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!fd) return text;
  char block[4096];
  while (text.size() < (1u << 20)) {
    const ssize_t n = ::read(fd.get(), block, sizeof block);
    if (n <= 0) break;
    text.append(block, static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace kbv
