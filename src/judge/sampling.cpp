// SPDX-License-Identifier: MIT
#include "judge/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics.h"

namespace kbv {
namespace {

constexpr int k_max_batch = 32;
/// A batch is to take this long: on a GPU the hand-over is known to some 20 us, on a CPU to some 100 us.
constexpr double k_batch_us = 2000, k_host_batch_us = 6000;
/// One hand-over of the slowest implementation takes no longer than this.
constexpr double k_longest_batch_us = 250'000;
/// Parameters are cold in a hand-over's first call only. That may spare a call this much.
constexpr double k_warm_part = 0.01, k_warm_us = 0.5;
/// Slots lie in the oracle's, the baseline's and the candidate's buffers, and half as many in snapshots.
constexpr double k_copies_of_slots = 3.5, k_part_of_free = 0.4;

}  // namespace

const std::vector<double>& samples_of(const TimeSamples& samples, Span span, bool batches) {
  if (span == Span::forward) return batches ? samples.batch_forward_us : samples.forward_us;
  return batches ? samples.batch_us : samples.attested_us;
}

const std::vector<double>& claims_of(const TimeSamples& samples, bool batches) {
  return batches ? samples.batch_claimed_us : samples.claimed_us;
}

int calls_in(Span span, bool batches, int calls) { return batches && span == Span::whole ? calls : 1; }

std::vector<double> zero_samples(const TimeSamples& null, int calls, Span span, bool batches) {
  const auto &intervals = samples_of(null, span, batches), &kernels = claims_of(null, batches);
  const double usual_us = median(kernels);  // NaN where nobody timed it
  std::vector<double> zeros;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const double kernel_us = kernels.size() == intervals.size() ? kernels[i] : usual_us;
    zeros.push_back(intervals[i] / calls_in(span, batches, calls) - (std::isfinite(kernel_us) ? kernel_us : 0.0));
  }
  return zeros;
}

std::vector<double> net_samples(const TimeSamples& samples, const TimeSamples& null, int calls, Span span, bool batches) {
  const auto& own = samples_of(samples, span, batches);
  const std::vector<double> zeros = zero_samples(null, calls, span, batches);
  std::vector<double> net;
  if (zeros.empty()) return net;
  const double usual_us = median(zeros);
  for (std::size_t i = 0; i < own.size(); ++i)
    net.push_back(own[i] / calls_in(span, batches, calls) - (own.size() == zeros.size() ? zeros[i] : usual_us));
  return net;
}

NetTime net_time(const TimeSamples& samples, const TimeSamples& null, int calls, Span span) {
  const bool batches = calls > 1 && !samples.batch_us.empty();
  if (samples_of(samples, span, batches).empty() || samples_of(null, span, batches).empty()) span = Span::whole;
  const std::vector<double> nets = net_samples(samples, null, calls, span, batches);
  NetTime net;
  net.bound_us = median(samples_of(samples, Span::whole, batches)) / (batches ? calls : 1);
  net.time_us = median(nets);
  net.uncertainty_us = nets.size() < 2 ? std::numeric_limits<double>::infinity() : 1.96 * median_error(nets);
  return net;
}

std::string sampling_ends(const SamplingLimits& limits, int rounds_done, double seconds, double uncertainty) {
  if (rounds_done >= limits.max_calls) return "call limit";
  if (rounds_done < limits.min_calls) return "";
  if (uncertainty <= limits.precision) return "precision";
  return seconds >= limits.budget_s ? "time budget" : "";
}

BatchChoice choose_batch(const BatchFacts& facts) {
  if (facts.draws_random) return {1, "the forward draws random numbers"};
  const double fastest_us = std::max(facts.fastest_us, 1.0), slowest_us = std::max(facts.slowest_us, fastest_us);
  const double wanted = std::ceil((facts.host ? k_host_batch_us : k_batch_us) / fastest_us);
  if (!(wanted > 1)) return {1, "a call is long enough"};
  if (facts.bytes_per_s > 0) {
    const double warm_us = static_cast<double>(facts.state_bytes) / facts.bytes_per_s * 1e6;
    if (warm_us > std::max(k_warm_us, k_warm_part * fastest_us))
      return {1, fmt::format("in a second call its parameters would be in the cache, which may spare {:.1f} us", warm_us)};
  }
  const double room = k_part_of_free * static_cast<double>(facts.free_bytes) /
                      (k_copies_of_slots * static_cast<double>(std::max<std::uint64_t>(facts.slot_bytes, 1)) * 2);
  const int calls = static_cast<int>(std::min({wanted, static_cast<double>(k_max_batch), room, k_longest_batch_us / slowest_us}));
  if (calls > 1) return {calls, ""};
  return {1, room < 2 ? "more calls at once do not fit into memory" : "one of the implementations is slow"};
}

}  // namespace kbv
