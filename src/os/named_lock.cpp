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

constexpr int k_try_again_ms = 20;
constexpr std::size_t k_longest_name = 100;  // so that "/next" has room as well

/// The socket that has this address; waits until no other has it.
Result<Fd> take(const std::string& name, const std::function<void()>& waiting) {
  sockaddr_un address{};
  static_assert(1 + k_longest_name + 5 <= sizeof address.sun_path);
  address.sun_family = AF_UNIX;
  // A path that begins with a zero byte is abstract: a name, and no file.
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return fail_errno("socket");
  for (;;) {
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0) return socket;
    if (errno != EADDRINUSE) return fail(Fault::machine, "lock", name + ": " + std::strerror(errno));
    waiting();
    pollfd interrupt{interrupt_fd(), POLLIN, 0};
    ::poll(&interrupt, 1, k_try_again_ms);
    if (interrupted()) return fail(Fault::machine, "interrupted", "interrupted");
  }
}

}  // namespace

Result<NamedLock> NamedLock::acquire(const std::string& name, const std::function<void()>& waiting) {
  if (name.empty() || name.size() > k_longest_name)
    return fail(Fault::machine, "lock", "a lock's name has 1 to " + std::to_string(k_longest_name) + " bytes");
  auto tell = [&waiting, told = false]() mutable {
    if (!told && waiting) waiting();
    told = true;
  };
  // Who only tried the lock itself now and then would never find it free of one that gives it back and takes it again at once. So one of
  // those that wait has the next turn, and the holder must wait behind that one like everybody else.
  KBV_TRY_ASSIGN(const Fd turn, take(name + "/next", std::ref(tell)));
  KBV_TRY_ASSIGN(Fd socket, take(name, std::ref(tell)));
  return NamedLock(std::move(socket));
}

}  // namespace kbv
