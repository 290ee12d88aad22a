// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/fd.h"
#include "worker/worker.h"

namespace kbv {

struct StageLimits {
  double start_s = 180;      ///< Python and PyTorch come up, a CUDA context is made
  double build_s = 900;      ///< a candidate's extensions are compiled
  double load_s = 180;       ///< a file is imported; likewise, its constructor runs
  double call_s = 60;        ///< one forward call, or one draw of the reference
  double all_calls_s = 600;  ///< all calls of a candidate together, so that a slow one can't hold a device for hours

  /// For a process of the judge's own, such as the reference's, beside candidates with these limits: never less than the
  /// defaults. A short limit is meant for a candidate that hangs; a first call beside builds can take seconds.
  StageLimits for_trusted() const;
};

struct BuildFacts {
  bool needed = false;
  bool ok = false;
  double seconds = 0;
  std::string first_error;  ///< the compiler's first error line
  std::string log;          ///< whole, up to 4 MiB
  std::vector<RefusedCall> refused_calls;  ///< in the build's box
};

/// The build stage: the candidate's module is imported in a box of its own that sees no GPU, so that its extensions are
/// compiled; what the compilers left goes into `bundle` for the candidate's worker. Only a build error is final here:
/// an import that fails for want of a GPU is tried again in the worker.
struct BuildBundle {
  Fd memfd;
  bool filled = false;
};
Result<BuildBundle> make_bundle();
/// `check_box` is told what isolation the box has before any of the candidate's code runs in it, and may refuse.
using CheckBox = std::function<Result<void>(const IsolationReport&)>;
Result<void> run_build_stage(const WorkerHost& host, const std::string& source, IsolationProfile profile,
                             const BoxLimits& limits, const StageLimits& stages, const CheckBox& check_box,
                             BuildBundle& bundle, BuildFacts& facts);

/// Whether a source compiles extensions while it is imported. A guess that costs time only: the worker has the same
/// compilers, so a build that this misses happens there, within the load's limit.
bool needs_build(const std::string& source);

/// The request that imports the candidate's module.
nlohmann::json load_candidate_message();

}  // namespace kbv
