// SPDX-License-Identifier: MIT
#include "os/socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/interrupt.h"

namespace kbv {
namespace {

constexpr double k_send_timeout_s = 10;
constexpr int k_socket_buffer = 1 << 20;  // [bytes] room for three of the largest packets

/// Waits until `fd` is ready for `events` (or hung up).
Result<void> wait_for(int fd, short events, Deadline deadline) {
  while (true) {
    if (interrupted()) return fail(Fault::machine, "interrupted", "interrupted");
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd polled[] = {{fd, events, 0}, {interrupt_fd(), POLLIN, 0}};
    // Rounded up, so that the last millisecond is slept and not spun away.
    const int timeout_ms = left < 0 ? 0 : static_cast<int>(std::min<long long>(left + 1, 1'000'000));
    const int ready = ::poll(polled, 2, timeout_ms);
    if (ready < 0 && errno != EINTR) return fail_errno("poll");
    if (ready > 0 && polled[0].revents != 0) return {};
    if (ready == 0 && Clock::now() >= deadline) return fail(Fault::machine, "timeout", "no packet in time");
  }
}

/// Takes the descriptors and the sender out of a received header.
bool take_control(msghdr& header, Received& received) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_RIGHTS) {
      const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
        received.fds.emplace_back(fd);
      }
    } else if (part->cmsg_type == SCM_CREDENTIALS) {
      ucred sender{};
      std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
      received.pid = sender.pid;
    }
  }
  return received.fds.size() <= k_max_packet_fds && (header.msg_flags & MSG_CTRUNC) == 0;
}

}  // namespace

Result<std::pair<Socket, Socket>> Socket::pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) return fail_errno("socketpair");
  std::pair<Socket, Socket> both{Socket(Fd(fds[0])), Socket(Fd(fds[1]))};
  const int on = 1;
  // Only our end learns who sent what; the other end needs no such thing, and it may belong to a hostile process.
  if (::setsockopt(fds[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) return fail_errno("SO_PASSCRED");
  for (const int fd : fds) ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &k_socket_buffer, sizeof k_socket_buffer);
  return both;
}

Result<void> Socket::send(std::string_view bytes, const std::vector<int>& fds) const {
  // An empty packet looks like the end of file to a peer without SO_PASSCRED.
  if (bytes.empty() || bytes.size() > k_max_packet || fds.size() > k_max_packet_fds)
    return fail(Fault::machine, "packet_too_long",
                "a packet of " + std::to_string(bytes.size()) + " bytes and " + std::to_string(fds.size()) +
                    " descriptors can't be sent");
  iovec vector{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * k_max_packet_fds)] = {};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(part), fds.data(), sizeof(int) * fds.size());
  }
  const Deadline deadline = after_seconds(k_send_timeout_s);
  while (true) {
    if (::sendmsg(fd_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return {};
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN)
      return fail(Fault::machine, "closed", "the other end is closed");
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return fail_errno("sendmsg");
    KBV_TRY(wait_for(fd_.get(), POLLOUT, deadline));
  }
}

Result<Received> Socket::receive(Deadline deadline) const {
  // One byte more than allowed is not needed: MSG_TRUNC tells of a longer packet.
  Received received;
  received.bytes.resize(k_max_packet);
  iovec vector{received.bytes.data(), received.bytes.size()};
  // Room for more descriptors than allowed, so that a packet with too many is seen as such.
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * (k_max_packet_fds + 8)) + CMSG_SPACE(sizeof(ucred))];
  while (true) {
    msghdr header{};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t n = ::recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0) {
      if (errno == ECONNRESET) return fail(Fault::machine, "closed", "the other end is closed");
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return fail_errno("recvmsg");
      KBV_TRY(wait_for(fd_.get(), POLLIN, deadline));
      continue;
    }
    const bool fds_fit = take_control(header, received);
    // A hostile peer's empty packet is not the end of file: a packet always comes with its sender.
    if (n == 0 && received.pid == 0) return fail(Fault::machine, "closed", "the other end is closed");
    if ((header.msg_flags & MSG_TRUNC) != 0)
      return fail(Fault::machine, "packet_too_long", "a packet longer than " + std::to_string(k_max_packet) + " bytes");
    if (!fds_fit) return fail(Fault::machine, "too_many_fds", "a packet with too many descriptors");
    received.bytes.resize(static_cast<std::size_t>(n));
    return received;
  }
}

bool Socket::readable() const {
  pollfd polled{fd_.get(), POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

}  // namespace kbv
