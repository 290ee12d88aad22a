// SPDX-License-Identifier: MIT
// The device around timed calls: whether it is idle, whether it was disturbed, and how fast its memory is.
#pragma once

#include <sys/types.h>

#include "device/device.h"
#include "judge/observation.h"

namespace kbv {

class DeviceWatch {
 public:
  explicit DeviceWatch(Device& device) : device_(device), start_(Clock::now()) {}

  /// Waits until no other context runs anything on the device: then a small operation of the judge's is back at once,
  /// else it waits for its time slice. How long it waited, in ms; 0 if the device was idle, and always on the host. Fault
  /// candidate, code "timeout", if it is not idle after `timeout_s`.
  Result<double> wait_until_idle(double timeout_s);

  /// Clocks, power, temperature, and why the clocks are not higher.
  DeviceState state() const;

  /// What state() says speaks against times taken just before: the clocks were brought down by heat or by the board's
  /// supply, or another program's process is on the device. (Running at the power limit is how a large matmul runs.)
  static bool disturbed(const DeviceState& state);

  /// Bytes read and written in a second by a copy of a buffer much larger than the cache; 0 on the host.
  Result<double> memory_bytes_per_s();

 private:
  Device& device_;
  Clock::time_point start_;
  std::unique_ptr<Buffer> probe_;
};

}  // namespace kbv
