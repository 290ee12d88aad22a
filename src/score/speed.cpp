// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/statistics.h"
#include "judge/sampling.h"
#include "score/scores.h"

namespace kbv {
namespace {

/// How many times the uncertainty of the null's median a time must be to count as measured.
constexpr double k_clear_of_null = 3;
/// How much longer than in a batch a single call may be, beyond what it is for the baseline.
constexpr double k_anchor_us = 15, k_anchor_part = 0.15;
/// How much more than the forwards the whole may say, beyond what it does for the baseline: for each call, for each hand-over,
/// and as a part of the time.
constexpr double k_whole_us = 2, k_hand_over_us = 30, k_whole_part = 0.05;

const BaselineResult* find_baseline(const Observation& observation, const std::string& name) {
  for (const BaselineResult& baseline : observation.baselines)
    if (baseline.name == name) return &baseline;
  return nullptr;
}

bool timed(const BaselineResult& baseline) { return baseline.ok && !baseline.time.attested_us.empty(); }

/// What a speedup is made of.
struct Parts {
  std::vector<double> baseline_us, candidate_us;  ///< times of one call, one a round
  double zero_us = 0;                             ///< how well the null is known, for one call
};

Parts parts_of(const Observation& observation, const TimeSamples& baseline, const TimeBasis& basis) {
  const TimeSamples& null = observation.null;
  const int calls = basis.batches ? observation.timing.batch_calls : 1;
  return {net_samples(baseline, null, calls, basis.span, basis.batches),
          net_samples(observation.candidate_time, null, calls, basis.span, basis.batches),
          median_error(zero_samples(null, calls, basis.span, basis.batches))};
}

/// By how much more one way of timing exceeds another for the candidate than for the baseline, and how sure that is; by
/// single calls and batches, forwards and wholes.
struct Excess {
  double candidate_us = 0, value_us = 0, unsure_us = 0;
  bool beyond(double allowed_us) const { return value_us > allowed_us + unsure_us; }
};

Excess excess_of(const Observation& observation, const TimeSamples& baseline, const TimeBasis& longer, const TimeBasis& shorter) {
  const auto [own, own_less, theirs, theirs_less] =
      std::array{time_on(longer, observation, observation.candidate_time), time_on(shorter, observation, observation.candidate_time),
                 time_on(longer, observation, baseline), time_on(shorter, observation, baseline)};
  Excess excess{own.time_us, own.time_us - own_less.time_us, own.uncertainty_us + own_less.uncertainty_us};
  const double usual_us = theirs.time_us - theirs_less.time_us;
  if (std::isfinite(usual_us)) {
    excess.value_us -= usual_us;
    excess.unsure_us += theirs.uncertainty_us + theirs_less.uncertainty_us;
  }
  return excess;
}

std::string too_short(const char* whose, double time_us, double null_spread_us) {
  return fmt::format("the {}'s time ({:.2f} us) does not stand clear of how well the empty call is known (+-{:.2f} us)", whose,
                     time_us, null_spread_us);
}

/// Why a time is below what this machine's instrument resolves; empty if none is, or nobody measured it.
std::string below_resolution(const Timing& timing, double candidate_us, double baseline_us) {
  const bool candidate = candidate_us < timing.floor_us;
  if (!candidate && !(baseline_us < timing.floor_us)) return {};
  return fmt::format("the {}'s time ({:.2f} us) is below the resolution floor of this machine, {:.2f} us", candidate ? "candidate" : "baseline",
                     candidate ? candidate_us : baseline_us, timing.floor_us);
}

/// The null is the instrument's zero, not a part of the protocol's statistic: its median counts here too.
std::optional<MeanScore> mean_score(const Observation& observation, const TimeSamples& baseline, const TimeBasis& basis, int wanted_calls) {
  const int calls = basis.batches ? observation.timing.batch_calls : 1;
  const auto &own = samples_of(observation.candidate_time, basis.span, basis.batches), &theirs = samples_of(baseline, basis.span, basis.batches);
  const std::size_t count = std::min({static_cast<std::size_t>((wanted_calls + calls - 1) / calls), theirs.size(), own.size()});
  const double zero_us = median(zero_samples(observation.null, calls, basis.span, basis.batches));
  const int divisor = calls_in(basis.span, basis.batches, calls);
  const auto time_us = [&](std::span<const double> samples) { return mean(samples.first(count)) / divisor - zero_us; };
  MeanScore score;
  score.calls = static_cast<int>(count) * calls;
  score.baseline_us = time_us(theirs);
  score.candidate_us = time_us(own);
  if (!(score.baseline_us > 0) || !(score.candidate_us > 0)) return std::nullopt;  // of nothing, each is NaN
  score.speedup = score.baseline_us / score.candidate_us;
  return score;
}

void add_note(SpeedScore& score, const std::string& note) {
  if (!note.empty()) score.note += (score.note.empty() ? "" : "; ") + note;
}

SpeedScore compare(const Observation& observation, const BaselineResult& baseline, const Protocol& protocol) {
  SpeedScore score;
  score.baseline = baseline.name;
  const TimeBasis basis = time_basis(observation, baseline.time);
  const Parts parts = parts_of(observation, baseline.time, basis);
  if (protocol.mean_of_calls > 0) score.means = mean_score(observation, baseline.time, basis, protocol.mean_of_calls);
  const double baseline_us = median(parts.baseline_us), candidate_us = median(parts.candidate_us);
  if (!std::isfinite(baseline_us) || !std::isfinite(candidate_us)) {
    score.note = "no usable time: the empty call, the candidate or the baseline has no sample";
    return score;
  }
  score.baseline_us = baseline_us;
  score.candidate_us = candidate_us;

  const double zero_us = parts.zero_us;
  if (!(candidate_us > k_clear_of_null * zero_us)) score.note = too_short("candidate", candidate_us, zero_us);
  else if (!(baseline_us > k_clear_of_null * zero_us)) score.note = too_short("baseline", baseline_us, zero_us);
  else score.note = below_resolution(observation.timing, candidate_us, baseline_us);
  if (candidate_us > 0 && baseline_us > 0) {
    const auto [value, interval] = ratio_of_rounds(parts.baseline_us, parts.candidate_us);
    score.speedup = {value, interval.low, interval.high};
    if (score.note.empty() && !std::isfinite(interval.high)) score.note = "the interval of the speedup has no end";
    score.resolved = score.note.empty();
    if (score.resolved)
      score.finding = interval.low > 1 ? "faster" : interval.high < 1 ? "slower" : "no difference";
  }
  for (const Evidence& evidence : basis.why) add_note(score, evidence.text);
  return score;
}

}  // namespace

NetTime time_on(const TimeBasis& basis, const Observation& observation, const TimeSamples& samples) {
  return net_time(samples, observation.null, basis.batches ? observation.timing.batch_calls : 1, basis.span);
}

TimeBasis time_basis(const Observation& observation, const TimeSamples& baseline) {
  const TimeSamples &own = observation.candidate_time, &null = observation.null;
  const int calls = observation.timing.batch_calls;
  const auto have = [&](Span span, bool batches) {
    return !samples_of(own, span, batches).empty() && !samples_of(null, span, batches).empty() && !samples_of(baseline, span, batches).empty();
  };
  TimeBasis basis;
  basis.batches = calls > 1 && have(Span::whole, true);
  if (!have(Span::forward, basis.batches)) basis.span = Span::whole;

  TimeBasis whole = basis;
  whole.span = Span::whole;
  const double forward_us = time_on(basis, observation, own).time_us;
  if (basis.span == Span::forward) {
    const Excess hidden = excess_of(observation, baseline, whole, basis);
    const double allowed_us = std::max(k_whole_us + k_hand_over_us / (basis.batches ? calls : 1), k_whole_part * hidden.candidate_us);
    if (hidden.beyond(allowed_us)) {
      basis = whole;
      basis.why = {{"work_after_forward",
                    fmt::format("the candidate works on beyond what it calls the end of its forward: {:.1f} us by its word, {:.1f} us by "
                                "whole hand-overs, which count", forward_us, hidden.candidate_us)}};
    }
  }
  if (basis.batches) {
    TimeBasis single = whole, batch = whole;
    single.batches = false;
    const Excess ahead = excess_of(observation, baseline, single, batch);
    if (ahead.beyond(std::max(k_anchor_us, k_anchor_part * ahead.candidate_us))) {
      const double batch_us = time_on(basis, observation, own).time_us;
      basis = single;
      basis.why = {{"slow_alone", fmt::format("a single call of the candidate takes {:.1f} us, one of {} in a hand-over {:.1f} us: the single calls count",
                                              ahead.candidate_us, calls, batch_us)}};
    }
  }
  return basis;
}

std::string effective_baseline(const Observation& observation, const Protocol& protocol) {
  const bool tf32 = protocol.baseline == "tf32_on" || protocol.baseline == "tf32_off";
  const bool host = observation.machine.backend == "host";
  return tf32 && host && !find_baseline(observation, protocol.baseline) ? "eager" : protocol.baseline;
}

const TimeSamples& baseline_samples(const Observation& observation, const Protocol& protocol) {
  static const TimeSamples none;
  const BaselineResult* baseline = find_baseline(observation, effective_baseline(observation, protocol));
  return baseline ? baseline->time : none;
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
