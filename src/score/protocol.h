// SPDX-License-Identifier: MIT
// A protocol is data; judging by it is a pure function of an observation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/observation.h"

namespace kbv {

/// What an error may be where the reference in float64 is known: so many times that of right implementations, but at least `least`,
/// a quarter of it for the rms. See docs/protocols.md, "The error budget", for what the errors are.
struct Budget {
  double max_factor = 16, rms_factor = 16;
  double products_max_factor = 4, products_rms_factor = 2;  ///< where the forward has products: TF32 counts as right
  double variation_factor = 4, variation_least = 0.125;
  double variation_void = 0.03125;      ///< right implementations with a larger e_var can't tell samples apart either
  std::map<std::string, double> least;  ///< by output dtype name
  double strict_least = 0x1p-20;        ///< without TF32, and without fast approximations
};

struct Protocol {
  std::string name;   ///< "kernelbench", "verified", "attested"
  std::string title;  ///< one line for people
  int trials = 1;     ///< how many of the D1 trials must pass (the first ones)
  std::vector<std::string> distributions;   ///< hidden cases that must pass
  std::map<std::string, double> tolerance;  ///< atol = rtol by output dtype name
  bool exact_integers = false;              ///< integer and bool outputs must be equal
  bool timed_outputs = false;               ///< outputs of timed calls must pass as well
  std::optional<double> max_rms_ratio;      ///< rms(got - expected) / rms(expected) allowed, floating outputs
  std::vector<std::string> families;         ///< families of inputs that must pass; those that say nothing count for nobody
  std::vector<std::string> robust_families;  ///< that a robust candidate passes besides
  std::optional<Budget> budget;              ///< replaces the tolerance and the rms rule where there is a float64 oracle
  bool contracts = false;                    ///< inputs stay as they are, outputs too, whatever lies in free memory
  bool parameters = false;                   ///< parameters other than as constructed must pass as well
  std::string baseline;                     ///< the baseline that its speedup means
  int mean_of_calls = 0;                    ///< its own statistic: the mean of this many first calls; 0: it has none
  bool memory = false;                      ///< it has a memory score
};

/// A ratio with a 95 % bootstrap interval.
struct Ratio {
  double value = 0, low = 0, high = 0;
};

/// Times and speedup as a protocol's own harness would reckon them: the mean of the first calls, by the judge's clock.
struct MeanScore {
  int calls = 0;  ///< as many as the protocol asks for, or all that were made if those are fewer
  double baseline_us = 0, candidate_us = 0;  ///< means, null subtracted
  double speedup = 0;
};

struct SpeedScore {
  std::string baseline;
  double baseline_us = 0, candidate_us = 0;  ///< medians, null subtracted
  Ratio speedup;  ///< baseline / candidate, the median of the rounds' ratios; above 1 is faster
  std::optional<MeanScore> means;            ///< where the protocol has such a statistic and both times are above 0
  bool resolved = false;                     ///< both times stand clear of how well the null is known
  /// "faster" or "slower" only if the whole interval is on that side of 1; "no difference"; "not resolvable".
  std::string finding = "not resolvable";
  std::string note;                          ///< why not resolved, and what counts instead of the usual
};

/// What a protocol makes of one case of the observation.
struct CaseVerdict {
  enum class State {
    passed,
    failed,
    dropped,  ///< the reference was not finite: counts for nobody
    not_run,  ///< the candidate failed before or in it, or the judge did not come to it
  };
  std::string id;
  bool needed = false;  ///< the protocol looks at it; the state of other cases changes nothing
  State state = State::not_run;
  std::optional<double> part;  ///< the largest error as a part of what it may be, where the budget decides
};

/// What lies in memory at the peak of one forward, and what it is. The parts make up the peak.
struct MemoryParts {
  std::uint64_t peak_bytes = 0;
  std::uint64_t state_bytes = 0;    ///< parameters and buffers of the model
  std::uint64_t input_bytes = 0;
  std::uint64_t kept_bytes = 0;     ///< held between calls besides: a workspace, a prepared copy of a weight, cached outputs
  std::uint64_t working_bytes = 0;  ///< what the call adds: outputs and temporaries
};

struct MemoryScore {
  std::string baseline_name;
  std::string basis;  ///< what was measured, for people: "peak of PyTorch's allocator + inputs"
  MemoryParts baseline, candidate;
  double ratio = 0;   ///< of the peaks, baseline / candidate; above 1 is leaner. The paper's figure
  /// The same without parameters and inputs, which no candidate can do without: what the implementations themselves take.
  std::optional<double> own_ratio;
  std::string note;   ///< why the candidate's own claim was not used, if it was not
};

/// What a reader should know besides: how the candidate behaved, or that the problem tells little. It decides nothing.
struct Evidence {
  /// "timing_mismatch", "work_after_forward", "slow_alone", "busy_after_calls", "below_floor", "inputs_written", "refused_call", "memory_mismatch";
  /// "vacuous_problem": of the problem, not of the candidate
  std::string kind;
  std::string text;  ///< one sentence, with the figures
};

struct Verdict {
  std::string protocol;
  std::string title;  ///< of the protocol
  std::optional<double> tolerance;  ///< what replaced the protocol's, if anything did
  bool correct = false;
  /// "correct", or why not: "wrong_output", "wrong_shape", "wrong_dtype", "wrong_structure", "import_error",
  /// "no_model_new", "build_error", "construct_error", "runtime_error", "crash", "timeout", "out_of_memory"; or
  /// "problem_error", "machine_error" or "not_tried" (the user asked for less than the protocol needs): no verdict on the candidate.
  std::string code;
  std::string reason;       ///< one sentence: what, where, by how much
  std::string worst_case;   ///< id of the case that decides, if any; empty when correct
  /// Of a correct one, under a protocol with a budget: whether it passes the robust families too, and whether it would without TF32; with
  /// the reason why not.
  std::optional<bool> robust, strict;
  std::string robust_reason, strict_reason;
  std::vector<CaseVerdict> cases;  ///< one for each case of the observation, in its order
  /// One call of the candidate by the judge's clock, whether correct or not; nothing if it was not timed.
  std::optional<double> time_us;
  /// Only when correct and timed: the protocol's own baseline first, even if it has no time (see its note), then every
  /// other timed baseline.
  std::vector<SpeedScore> speed;
  std::optional<double> memory_ratio;      ///< baseline peak / candidate peak: above 1 is leaner
  std::optional<MemoryScore> memory;       ///< where memory_ratio comes from
  std::vector<Evidence> evidence;          ///< whether correct or not
};

/// Whether a Verdict::code says anything of the candidate.
bool is_verdict(std::string_view code);

/// The three protocols that come with the binary.
const std::vector<Protocol>& builtin_protocols();
Result<Protocol> find_protocol(const std::string& name);
/// From a file in the format of src/score/protocols/*.json.
Result<Protocol> parse_protocol(const std::string& text, const std::string& where);

/// `observation` under `protocol`. `tolerance` replaces the protocol's for every floating dtype if given.
Verdict judge_observation(const Observation& observation, const Protocol& protocol,
                          std::optional<double> tolerance = {});

/// The same without times and memory, which take most of its work: time_us, speed, memory and evidence stay empty.
Verdict judge_correctness(const Observation& observation, const Protocol& protocol, std::optional<double> tolerance = {});

/// Whether a case that ran is wrong under `protocol`, whichever its outputs' other cases are.
bool case_is_wrong(const Observation& observation, const CaseResult& result, const Protocol& protocol);

/// The smallest tau (atol = rtol) under which every case that the protocol looks at passes; infinity if none does.
double smallest_tolerance(const Observation& observation, const Protocol& protocol);

}  // namespace kbv
