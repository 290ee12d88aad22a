// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace kbv {

using Clock = std::chrono::steady_clock;

/// A moment by which something must be done.
using Deadline = Clock::time_point;

inline Deadline after_seconds(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double microseconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - start).count();
}

}  // namespace kbv
