// SPDX-License-Identifier: MIT
// One evaluation: a problem file and a candidate in, an observation out.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "judge/candidate.h"
#include "judge/instrument.h"
#include "judge/observation.h"
#include "judge/sampling.h"

namespace kbv {

/// "strict" and "basic" as IsolationReport and the command line name them; anything else is `none`.
IsolationProfile isolation_profile(const std::string& name);

struct EvaluateOptions {
  std::string problem_path, candidate_path;
  std::optional<std::string> problem_source, candidate_source;  ///< instead of what the paths hold
  std::string size;
  std::map<std::string, std::string> constants;  ///< value as JSON text
  std::optional<std::string> secret_hex;         ///< to repeat an evaluation; made anew if absent

  int trials = 5;              ///< D1 draws, each on fresh inputs
  bool families = true;        ///< the families of inputs and the contracts, by float64; off: D1 to D4 only
  bool parameters = true;      ///< parameters other than as constructed
  bool all_cases = false;      ///< go on after the first wrong output
  /// Whether a case that ran is wrong under the rules that count: no more families are tried then. Empty: never.
  std::function<bool(const Observation&, const CaseResult&)> is_wrong;
  bool timing = true;          ///< baselines, timed calls and memory; off: correctness only
  bool compile_baseline = false;
  int warmup_calls = 3;
  SamplingLimits sampling;     ///< of the baselines together, and of the candidate
  std::optional<Instrument> instrument;  ///< how well times are known on this device; noted in the observation
  bool warm = false;           ///< do not evict the last-level cache before timed calls

  IsolationProfile profile = IsolationProfile::strict;
  std::optional<IsolationProfile> required_profile;  ///< machine fault "isolation", before its code runs, if less is had
  BoxLimits limits;
  StageLimits stages;
};

/// The trusted process that makes inputs and expected outputs, to serve the evaluations on a device one after the other. That of
/// the baselines is always new, as the candidate's is: after many problems a process launches a few percent more slowly.
struct References {
  std::unique_ptr<Reference> oracle;  ///< taken and given back by who holds the lane
  /// Whether who gets the lane will find one: evaluations that begin meanwhile need not start one of their own.
  std::atomic<bool> serving{false};
  nlohmann::json facts;  ///< what it says of itself; written once, before it serves for the first time

  void reset() {
    serving = false;
    oracle.reset();
  }
};

/// A machine's fault, code "isolation", if a box has less than is required.
Result<void> check_isolation(const IsolationReport& isolation, const std::optional<IsolationProfile>& required);

/// What evaluations on one device share. `lane` is held as long as an evaluation has anything on the device, memory or a
/// worker's context, so that no two use it at once; builds and start-up run outside it.
struct EvaluateContext {
  Device& device;
  WorkerHost host;
  std::mutex& lane;
  std::function<void(const std::string&)> progress;  ///< told each stage's name; may be empty
  References* references = nullptr;                  ///< the device's; kept from one evaluation to the next
};

/// Always gives an observation, with `fault` set if something ended it early; an error only for bad input (usage) and
/// for interruption.
Result<Observation> evaluate(const EvaluateContext& context, const EvaluateOptions& options);

}  // namespace kbv
