// SPDX-License-Identifier: MIT
// Packets between the judge and one worker. The worker is hostile: sizes, descriptors and silence are all bounded.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace kbv {

inline constexpr std::size_t k_max_packet = 256u << 10;  // [bytes]
inline constexpr std::size_t k_max_packet_fds = 16;

struct Received {
  std::string bytes;
  std::vector<Fd> fds;  ///< closed with this, unless taken
  pid_t pid = 0;        ///< who sent it, by this process's own numbering; vouched for by the kernel
};

/// One end of a SOCK_SEQPACKET pair.
class Socket {
 public:
  Socket() = default;
  explicit Socket(Fd fd) : fd_(std::move(fd)) {}
  static Result<std::pair<Socket, Socket>> pair();

  /// Sends one packet. Errors: "closed" (nobody holds the other end), "timeout" (the peer reads nothing for 10 s),
  /// "interrupted", "packet_too_long".
  Result<void> send(std::string_view bytes, const std::vector<int>& fds = {}) const;

  /// Receives one packet. Errors: "timeout", "closed" (end of file), "interrupted", "packet_too_long" (the packet is
  /// dropped), "too_many_fds" (as well).
  Result<Received> receive(Deadline deadline) const;

  /// Whether receive() would return at once: a packet or the end of file is there.
  bool readable() const;

  int get() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }
  void close() { fd_.reset(); }

 private:
  Fd fd_;
};

}  // namespace kbv
