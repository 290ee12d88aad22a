// SPDX-License-Identifier: MIT
// The device around timed calls: whether it is idle, whether it was disturbed, and how fast its memory is.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

#include "device/device.h"
#include "judge/observation.h"

namespace kbv {

class DeviceWatch {
 public:
  explicit DeviceWatch(Device& device) : device_(device), start_(Clock::now()) {}

  /// Waits until no other context runs anything on the device: then a small operation of the judge's is back at once,
  /// else it waits for its time slice. How long it waited, in ms; 0 if the device was idle, and always on the host. Fault
  /// candidate, code "timeout", if it is not idle after `timeout_s`, or machine, code "device_busy", if another program's process is on it.
  Result<double> wait_until_idle(double timeout_s);

  /// Before a candidate gets the device: it computes and keeps what it is given, and, if times are wanted, nobody else's work is on
  /// it. What a killed candidate left must have ended, else no candidate gets the device until it has. Fault machine: code
  /// "device_busy" after `timeout_s`, "device_faulty" if it is not right, or what the driver said. Nothing on the host.
  Result<void> check_ready(bool times_wanted, double timeout_s);

  /// Waits until the driver lists `pid`, which was killed, no more; a little, for not every driver lists processes.
  void wait_until_gone(pid_t pid, double timeout_s) const;

  /// Clocks, power, temperature, and why the clocks are not higher.
  DeviceState state() const;

  /// Device memory of other programs' processes, as the driver says; of one that it tells nothing of, at most `at_most`, which is taken.
  /// 0 on the host and where no such process is listed.
  std::uint64_t foreign_bytes(std::uint64_t at_most) const;

  /// What state() says speaks against times taken just before: the clocks were brought down by heat or by the board's
  /// supply, or another program's process is on the device. (Running at the power limit is how a large matmul runs.)
  static bool disturbed(const DeviceState& state);

  /// Bytes read and written in a second by a copy of a buffer much larger than the cache; 0 on the host.
  Result<double> memory_bytes_per_s();

 private:
  /// How long it took until the device was idle, in ms; nothing if it was not after `timeout_s`.
  Result<std::optional<double>> idle_after(double timeout_s);

  Device& device_;
  Clock::time_point start_;
  std::unique_ptr<Buffer> probe_;
};

/// What is known when somebody had too little memory.
struct MemoryShortage {
  bool over_host_limit = false;     ///< the candidate's process was ended by its limit of host memory, which no device matters to
  std::uint64_t foreign_bytes = 0;  ///< of the device, held by other programs
  std::uint64_t device_bytes = 0;   ///< the whole device's
};

/// Whose fault an error of code "out_of_memory" is; others stay. A candidate is to blame unless other programs hold more than a tenth of the
/// device's memory; with them, and where the problem itself does not fit, it becomes the machine's, code "device_memory".
void blame_for_memory(Error& error, const MemoryShortage& shortage);

/// Whose fault an error of code "device_busy" is that came while a candidate had the device: `end_candidate` ends it, and if the device is idle
/// within `timeout_s` then, the work was the candidate's, whoever else has a context there. Other errors stay.
void blame_for_busy(Error& error, DeviceWatch& watch, const std::function<void()>& end_candidate, double timeout_s);

}  // namespace kbv
