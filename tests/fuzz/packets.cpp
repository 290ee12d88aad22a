// SPDX-License-Identifier: MIT
// Packets as a worker may send them, any bytes and any number: each comes whole, or not at all.
#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "fuzz.h"
#include "os/socket.h"

using namespace kbv;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto ends = Socket::pair();
  if (!ends) return 0;
  auto& [mine, theirs] = *ends;
  // The first byte of each piece says how long it is.
  std::size_t sent = 0;
  for (std::size_t at = 0; at < size && sent < 8;) {
    const std::size_t length = std::min<std::size_t>(bytes[at] + std::size_t{1}, size - at);
    if (::send(theirs.get(), bytes + at, length, MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(length)) ++sent;
    at += length;
  }
  theirs.close();
  for (std::size_t i = 0; i < sent; ++i) {
    const auto got = mine.receive(after_seconds(1));
    fuzz::must(got.has_value(), "a packet within the bounds arrives");
    fuzz::must(got->fds.empty() && got->bytes.size() <= k_max_packet, "it is bounded");
    const auto message = nlohmann::json::parse(got->bytes, nullptr, false);
    fuzz::must(message.is_discarded() || message.size() <= k_max_packet, "a message is no larger than its packet");
  }
  const auto end = mine.receive(after_seconds(1));
  fuzz::must(!end && end.error().code == "closed", "then the end is seen");
  return 0;
}
