// SPDX-License-Identifier: MIT
// Probe 10: how the device's own time (globaltimer) runs away from the host's clocks.
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "boxed_worker.h"
#include "gpu.h"
#include "probe.h"

namespace kbv::cuda::probes {
namespace {

double host_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Device minus host, as an interval: the kernel ran between the two readings of the host's clock around it, so that
/// each reading bounds the offset, and all of a burst together bound it closely.
struct Offset {
  double at_ns = 0, low = -1e300, high = 1e300;
  unsigned long long step = ~0ull;
  double value() const { return low / 2 + high / 2; }
  double half_width() const { return (high - low) / 2; }
};

Result<Offset> measure(const Gpu& gpu, clockid_t clock, double base_ns) {
  Offset offset;
  for (int i = 0; i < 60; ++i) {
    const double before = host_ns(clock);
    KBV_TRY_ASSIGN(const auto time, gpu.time());
    const double after = host_ns(clock);
    const double device = static_cast<double>(time.now - static_cast<unsigned long long>(base_ns));
    offset.low = std::max(offset.low, device - after);
    offset.high = std::min(offset.high, device - before);
    if (time.step > 0) offset.step = std::min(offset.step, time.step);
    offset.at_ns = after;
  }
  return offset;
}

}  // namespace

Result<Finding> probe_clock_drift(const Options& options) {
  KBV_TRY_ASSIGN(auto gpu, Gpu::open());
  KBV_TRY_ASSIGN(const auto first_time, gpu->time());
  // Doubles hold differences of a few hours to a nanosecond, but not the nanoseconds since 1970.
  const double base = static_cast<double>(first_time.now / 1'000'000'000ull * 1'000'000'000ull);
  const std::pair<const char*, clockid_t> clocks[] = {{"monotonic", CLOCK_MONOTONIC},
                                                      {"monotonic_raw", CLOCK_MONOTONIC_RAW}};
  std::vector<Offset> first, last;
  for (const auto& [name, clock] : clocks) {
    KBV_TRY_ASSIGN(Offset offset, measure(*gpu, clock, base));
    first.push_back(offset);
  }
  ::usleep(static_cast<useconds_t>(options.drift_s * 5e5));
  std::vector<Offset> middle;
  for (const auto& [name, clock] : clocks) {
    KBV_TRY_ASSIGN(Offset offset, measure(*gpu, clock, base));
    middle.push_back(offset);
  }
  ::usleep(static_cast<useconds_t>(options.drift_s * 5e5));
  Finding finding;
  for (std::size_t i = 0; i < std::size(clocks); ++i) {
    KBV_TRY_ASSIGN(const Offset end, measure(*gpu, clocks[i].second, base));
    const double seconds = (end.at_ns - first[i].at_ns) / 1e9;
    const double drift = end.value() - first[i].value();
    const double doubt = end.half_width() + first[i].half_width();
    const double half = middle[i].value() - first[i].value();
    finding.numbers[clocks[i].first] = {{"seconds", seconds},
                                        {"drift_ns", drift},
                                        {"doubt_ns", doubt},
                                        {"drift_ns_at_half", half},
                                        {"ppm", drift / seconds / 1e3},
                                        {"ppm_doubt", doubt / seconds / 1e3},
                                        {"ten_minutes_us", drift / seconds * 0.6},
                                        {"step_ns", end.step}};
    if (i == 0)
      finding.text = "against CLOCK_MONOTONIC " + number(drift / seconds / 1e3, 3) + " +- " +
                     number(doubt / seconds / 1e3, 3) + " ppm over " + number(seconds, 0) + " s, which would be " +
                     number(drift / seconds * 0.6, 0) + " us in ten minutes (" +
                     (seconds >= 599 ? "measured" : "extrapolated") + ")";
    else
      finding.text += "; against CLOCK_MONOTONIC_RAW " + number(drift / seconds / 1e3, 3) + " ppm";
  }
  finding.text += "; globaltimer steps by " + finding.numbers["monotonic"]["step_ns"].dump() + " ns";
  return finding;
}

}  // namespace kbv::cuda::probes
