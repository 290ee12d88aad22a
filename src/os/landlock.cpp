// SPDX-License-Identifier: MIT
#include "os/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/fd.h"

namespace kbv {
namespace {

// From linux/landlock.h, of which older systems have an older one. The numbers are the same on all architectures.
constexpr long k_create_ruleset = 444, k_add_rule = 445, k_restrict_self = 446;
constexpr unsigned k_version_flag = 1, k_path_beneath = 1;

constexpr std::uint64_t bit(int n) { return std::uint64_t{1} << n; }
constexpr std::uint64_t k_write_file = bit(1), k_remove_folder = bit(4), k_remove_file = bit(5), k_make_char = bit(6),
                        k_make_folder = bit(7), k_make_regular = bit(8), k_make_socket = bit(9), k_make_fifo = bit(10),
                        k_make_block = bit(11), k_make_link = bit(12), k_refer = bit(13), k_truncate = bit(14),
                        k_ioctl_device = bit(15);
constexpr std::uint64_t k_bind_tcp = bit(0), k_connect_tcp = bit(1);
constexpr std::uint64_t k_scope_abstract_sockets = bit(0), k_scope_signals = bit(1);

struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scopes = 0;
};
struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

/// What of it this ABI knows. Everything named here is refused where no rule allows it.
std::uint64_t handled_files(int abi) {
  std::uint64_t handled = k_write_file | k_remove_folder | k_remove_file | k_make_char | k_make_folder | k_make_regular |
                          k_make_socket | k_make_fifo | k_make_block | k_make_link;
  if (abi >= 2) handled |= k_refer;
  if (abi >= 3) handled |= k_truncate;
  if (abi >= 5) handled |= k_ioctl_device;
  return handled;
}

class Ruleset {
 public:
  Ruleset(Fd fd, std::uint64_t handled) : fd_(std::move(fd)), handled_(handled) {}

  Result<void> allow(const std::string& path, std::uint64_t rights) {
    const Fd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!place && (errno == ENOENT || errno == ENOTDIR)) return {};
    if (!place) return fail_errno(path.c_str());
    PathRule rule{rights & handled_, place.get()};
    if (::syscall(k_add_rule, fd_.get(), k_path_beneath, &rule, 0) != 0) return fail_errno(path.c_str());
    return {};
  }

  int get() const { return fd_.get(); }

 private:
  Fd fd_;
  std::uint64_t handled_;
};

}  // namespace

int landlock_abi(std::string& why) {
  const long abi = ::syscall(k_create_ruleset, nullptr, 0, k_version_flag);
  if (abi > 0) return static_cast<int>(abi);
  why = errno == ENOSYS       ? "this kernel has none"
        : errno == EOPNOTSUPP ? "switched off at boot (lsm=)"
                              : fail_errno("landlock").value().message;
  return 0;
}

Result<void> enter_landlock(const WritePlaces& places, BoxTool tool) {
  std::string why;
  const int abi = landlock_abi(why);
  if (abi == 0) return fail(Fault::machine, "isolation", why);
  if (abi < k_least_landlock_abi)
    return fail(Fault::machine, "isolation", "this kernel's (ABI 1) refuses to move files between folders");
  RulesetAttributes attributes;
  attributes.files = handled_files(abi);
  if (abi >= 4 && tool != BoxTool::debugger) attributes.network = k_bind_tcp | k_connect_tcp;
  if (abi >= 6) attributes.scopes = k_scope_abstract_sockets | k_scope_signals;
  // An older kernel takes the longer struct as long as what it doesn't know is zero.
  Fd fd(static_cast<int>(::syscall(k_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!fd) return fail_errno("landlock_create_ruleset");
  Ruleset rules(std::move(fd), attributes.files);
  // No device nodes are made: they would be another way to a device.
  for (const auto& folder : places.folders)
    KBV_TRY(rules.allow(folder, handled_files(abi) & ~(k_make_char | k_make_block)));
  for (const auto& file : places.files) KBV_TRY(rules.allow(file, k_write_file | k_truncate | k_ioctl_device));
  if (!places.process_files.empty()) KBV_TRY(rules.allow(places.process_files, k_write_file | k_truncate));
  if (::syscall(k_restrict_self, rules.get(), 0) != 0) return fail_errno("landlock_restrict_self");
  return {};
}

}  // namespace kbv
