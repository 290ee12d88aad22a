// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "score/scores.h"
#include "base/statistics.h"

namespace kbv {
namespace {

/// How many times the uncertainty of the null's median a time must be to count as measured.
constexpr double k_clear_of_null = 3;

constexpr double k_null_drift_us = 30, k_null_drift = 0.05;

const BaselineResult* find_baseline(const Observation& observation, const std::string& name) {
  for (const BaselineResult& baseline : observation.baselines)
    if (baseline.name == name) return &baseline;
  return nullptr;
}

bool timed(const BaselineResult& baseline) { return baseline.ok && !baseline.time.attested_us.empty(); }

/// How much dearer the empty call may be beside the candidate than beside the baselines. What a call costs drifts by
/// some microseconds; but a candidate that keeps the device busy could raise it, and so hide time of its own.
double bounded_null(double beside_baselines_us, double beside_candidate_us) {
  return std::min(beside_candidate_us, beside_baselines_us + std::max(k_null_drift_us, k_null_drift * beside_baselines_us));
}

/// What a speedup is made of, in the order of the bootstrap's samples.
enum Part { k_baseline, k_candidate, k_null, k_beside, k_own_null, k_own_null_reference, k_parts };

/// Where the nulls beside the candidate or in its own process are missing, they change nothing.
std::array<std::vector<double>, k_parts> parts_of(const Observation& observation, const TimeSamples& baseline) {
  const auto& beside = observation.candidate_null.attested_us;
  std::array<std::vector<double>, k_parts> samples{
      baseline.attested_us, observation.candidate_time.attested_us, observation.null.attested_us,
      beside.empty() ? observation.null.attested_us : beside, observation.own_null.attested_us,
      observation.own_null_reference.attested_us};
  if (samples[k_own_null].empty() || samples[k_own_null_reference].empty())
    samples[k_own_null] = samples[k_own_null_reference] = {0.0};
  return samples;
}

/// The candidate's zero: what the empty call takes beside it, and how much dearer it was in the candidate's process,
/// before its code ran, than in the baselines'.
double candidate_zero_us(std::span<const double> medians) {
  return bounded_null(medians[k_null], medians[k_beside]) + (medians[k_own_null] - medians[k_own_null_reference]);
}

/// The parts' medians to a speedup; NaN where the resample says nothing at all.
double speedup_of_medians(std::span<const double> medians) {
  const double baseline = medians[k_baseline] - medians[k_null];
  const double candidate = medians[k_candidate] - candidate_zero_us(medians);
  if (candidate > 0) return std::max(baseline, 0.0) / candidate;
  return baseline > 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
}

std::string too_short(const char* whose, double time_us, double null_spread_us) {
  return fmt::format("the {}'s time ({:.2f} us) does not stand clear of how well the empty call is known (+-{:.2f} us)", whose,
                     time_us, null_spread_us);
}

/// The null is the instrument's zero, not a part of the protocol's statistic: its median counts here too.
std::optional<MeanScore> mean_score(const Observation& observation, const BaselineResult& baseline, int wanted_calls) {
  const std::span<const double> theirs = baseline.time.attested_us, own = observation.candidate_time.attested_us;
  const std::size_t calls = std::min({static_cast<std::size_t>(wanted_calls), theirs.size(), own.size()});
  MeanScore score;
  score.calls = static_cast<int>(calls);
  score.baseline_us = mean(theirs.first(calls)) - median(observation.null.attested_us);
  score.candidate_us = mean(own.first(calls)) - candidate_null_us(observation);
  if (!(score.baseline_us > 0) || !(score.candidate_us > 0)) return std::nullopt;  // of nothing, each is NaN
  score.speedup = score.baseline_us / score.candidate_us;
  return score;
}

SpeedScore compare(const Observation& observation, const BaselineResult& baseline, const Protocol& protocol) {
  SpeedScore score;
  score.baseline = baseline.name;
  if (protocol.mean_of_calls > 0) score.means = mean_score(observation, baseline, protocol.mean_of_calls);
  const auto samples = parts_of(observation, baseline.time);
  const double baseline_us = median(samples[k_baseline]) - median(samples[k_null]);
  const double candidate_us = median(samples[k_candidate]) - candidate_null_us(observation);
  if (!std::isfinite(baseline_us) || !std::isfinite(candidate_us)) {
    score.note = "no usable time: the empty call, the candidate or the baseline has no sample";
    return score;
  }
  score.baseline_us = baseline_us;
  score.candidate_us = candidate_us;

  // How well each one's zero is known.
  const double baseline_zero = median_error(samples[k_null]);
  const double candidate_zero = std::hypot(median_error(samples[k_beside]), median_error(samples[k_own_null]),
                                           median_error(samples[k_own_null_reference]));
  if (!(candidate_us > k_clear_of_null * candidate_zero)) score.note = too_short("candidate", candidate_us, candidate_zero);
  else if (!(baseline_us > k_clear_of_null * baseline_zero)) score.note = too_short("baseline", baseline_us, baseline_zero);
  if (!(candidate_us > 0) || !(baseline_us > 0)) return score;

  const Interval interval = bootstrap_medians(samples, speedup_of_medians);
  score.speedup = {baseline_us / candidate_us, interval.low, interval.high};
  if (score.note.empty() && !std::isfinite(interval.high)) score.note = "the interval of the speedup has no end";
  score.resolved = score.note.empty();
  if (score.resolved)
    score.finding = interval.low > 1 ? "faster" : interval.high < 1 ? "slower" : "no difference";
  return score;
}

}  // namespace

double candidate_null_us(const Observation& observation) {
  const auto samples = parts_of(observation, {});
  std::array<double, k_parts> medians{};
  std::transform(samples.begin(), samples.end(), medians.begin(), [](const auto& part) { return median(part); });
  return candidate_zero_us(medians);
}

std::string effective_baseline(const Observation& observation, const Protocol& protocol) {
  const bool tf32 = protocol.baseline == "tf32_on" || protocol.baseline == "tf32_off";
  const bool host = observation.machine.backend == "host";
  return tf32 && host && !find_baseline(observation, protocol.baseline) ? "eager" : protocol.baseline;
}

std::vector<SpeedScore> score_speed(const Observation& observation, const Protocol& protocol) {
  std::vector<SpeedScore> scores;
  if (observation.candidate_time.attested_us.empty()) return scores;

  const std::string own = effective_baseline(observation, protocol);
  const BaselineResult* baseline = find_baseline(observation, own);
  if (baseline && timed(*baseline)) {
    scores.push_back(compare(observation, *baseline, protocol));
  } else {
    scores.emplace_back();
    scores[0].baseline = own;
    scores[0].note = !baseline ? fmt::format("baseline {} was not measured", own)
                               : fmt::format("baseline {} has no time: {}", own,
                                             baseline->ok ? "it was not timed" : baseline->problem);
  }
  if (own != protocol.baseline) {
    const std::string fallen = fmt::format("{} does not exist on a CPU, {} stands in", protocol.baseline, own);
    scores[0].note = scores[0].note.empty() ? fallen : scores[0].note + "; " + fallen;
  }
  for (const BaselineResult& other : observation.baselines)
    if (other.name != own && timed(other)) scores.push_back(compare(observation, other, protocol));
  return scores;
}

}  // namespace kbv
