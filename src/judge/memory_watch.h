// SPDX-License-Identifier: MIT
// What one forward call takes, seen from outside: nothing a worker says enters.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "device/device.h"

namespace kbv {

/// CUDA: a thread reads the device memory in use as fast as the driver answers (some microseconds a reading) and keeps
/// the maximum. Host: the kernel's own high-water mark of the worker's resident set, reset at the start.
class MemoryWatch {
 public:
  static Result<MemoryWatch> start(Device& device, pid_t worker);
  MemoryWatch(MemoryWatch&&) noexcept;
  ~MemoryWatch();

  /// Peak minus the value at the start, in bytes; nothing where the machine does not tell.
  std::optional<std::uint64_t> stop();

 private:
  struct State;
  explicit MemoryWatch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kbv
