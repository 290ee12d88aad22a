// SPDX-License-Identifier: MIT
#include "os/named_lock.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "os/interrupt.h"

namespace kbv {
namespace {

constexpr int k_try_again_ms = 50;

}  // namespace

Result<NamedLock> NamedLock::acquire(const std::string& name, const std::function<void()>& waiting) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.empty() || name.size() >= sizeof address.sun_path - 1)
    return fail(Fault::machine, "lock", "a lock's name has 1 to " + std::to_string(sizeof address.sun_path - 2) + " bytes");
  // A path that begins with a zero byte is abstract: a name, and no file.
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return fail_errno("socket");
  for (bool told = false;;) {
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0) return NamedLock(std::move(socket));
    if (errno != EADDRINUSE) return fail(Fault::machine, "lock", name + ": " + std::strerror(errno));
    if (!told && waiting) waiting();
    told = true;
    pollfd interrupt{interrupt_fd(), POLLIN, 0};
    ::poll(&interrupt, 1, k_try_again_ms);
    if (interrupted()) return fail(Fault::machine, "interrupted", "interrupted");
  }
}

}  // namespace kbv
