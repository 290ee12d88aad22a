// SPDX-License-Identifier: MIT
// From samples to a time, and how many samples are enough: the judge decides, by rules that look at how well a time is known,
// never at what would be convenient for a result.
#pragma once

#include <cstdint>
#include <string>

#include "judge/observation.h"

namespace kbv {

/// Which of the judge's intervals a time is made of.
enum class Span {
  forward,  ///< from each go to what the worker said was the end of its forward: accurate, if the worker is honest
  whole,    ///< the whole hand-over: from before the inputs are revealed to after the snapshot
};

/// The samples of one kind: hand-overs of several calls, or single calls.
const std::vector<double>& samples_of(const TimeSamples& samples, Span span, bool batches);

/// How many calls' time one of them is.
int calls_in(Span span, bool batches, int calls);

/// The worker's own figures beside them.
const std::vector<double>& claims_of(const TimeSamples& samples, bool batches);

/// For each round, what an interval holds for one call besides the call: the null's, over the number of calls in it, minus what
/// the null's own kernel takes by the events of its trusted process.
std::vector<double> zero_samples(const TimeSamples& null, int calls, Span span, bool batches);

/// For each round, the time of one call: interval over the number of calls in it, minus the round's zero. Where rounds can't be
/// paired, the median zero stands in. Of no null, nothing.
std::vector<double> net_samples(const TimeSamples& samples, const TimeSamples& null, int calls, Span span, bool batches);

/// One implementation's time of one call, and what it stands on.
struct NetTime {
  double time_us = 0;         ///< median of net_samples; NaN without samples
  double bound_us = 0;        ///< nothing subtracted: the whole hand-over over the number of calls
  double uncertainty_us = 0;  ///< half the 95 % interval of time_us, from the spread of its samples; infinite of fewer than 2
};

/// By hand-overs of several calls where there are such (`calls` of them in each), else by single calls. By the whole where
/// there are no forwards.
NetTime net_time(const TimeSamples& samples, const TimeSamples& null, int calls, Span span);

struct SamplingLimits {
  int min_calls = 10, max_calls = 400;  ///< hand-overs to each implementation
  double budget_s = 6;      ///< after min_calls, no further round begins beyond this
  double precision = 0.01;  ///< enough when the 95 % uncertainty of each net time is at most this part of it; 0: never
};

/// Why no more rounds are made: "precision", "time budget", "call limit"; empty: go on. `uncertainty` is the largest of
/// what is timed together, as a part of its time.
std::string sampling_ends(const SamplingLimits& limits, int rounds_done, double seconds, double uncertainty);

/// What decides how many calls one hand-over takes.
struct BatchFacts {
  bool host = false;
  bool draws_random = false;       ///< the forward draws random numbers
  double fastest_us = 0;           ///< the shortest call of those that are compared
  double slowest_us = 0;           ///< the longest
  std::uint64_t slot_bytes = 0;    ///< inputs and outputs of one call
  std::uint64_t state_bytes = 0;   ///< parameters and buffers of the model
  std::uint64_t free_bytes = 0;    ///< memory that is free where the tensors lie
  double bytes_per_s = 0;          ///< memory bandwidth; 0: unknown
};

struct BatchChoice {
  int calls = 1;
  std::string why_single;  ///< for people; empty if calls > 1
};

/// Enough calls that an error in the hand-over's cost, some tens of microseconds, hardly counts in one call.
BatchChoice choose_batch(const BatchFacts& facts);

/// How many slots a hand-over of `calls` fills: as many again are never called.
inline int slots_of(int calls) { return calls == 1 ? 1 : 2 * calls; }

}  // namespace kbv
