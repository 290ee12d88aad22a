// SPDX-License-Identifier: MIT
// A candidate under NVIDIA's compute-sanitizer: the same worker, started by the tool, on a few fresh inputs of reduced
// size.
//
// It is a stage of its own and no part of an evaluation: the tool makes kernels 10 to 100 times slower and changes how
// their threads meet, so nothing of a run under it may count for correctness or time; and what it finds is evidence of
// the kind that src/score/evidence.cpp has, since it comes from the process of the untrusted code. docs/sanitizer.md
// says what each tool sees.
#pragma once

#include "judge/evaluate.h"
#include "judge/sanitizer_report.h"

namespace kbv {

struct SanitizeOptions {
  std::string problem_path, candidate_path;
  std::string size;  ///< "": the entry "cpu" of the problem's SIZES if it has one, else as the file says
  std::map<std::string, std::string> constants;  ///< as in EvaluateOptions
  std::optional<std::string> secret_hex;         ///< to repeat a run on the same inputs
  std::string program;                           ///< path of compute-sanitizer
  std::vector<SanitizerTool> tools{k_sanitizer_tools.begin(), k_sanitizer_tools.end()};
  int forwards = 3;        ///< calls on fresh inputs, under each tool
  double timeout_s = 300;  ///< of each tool: start, construction and calls together
  IsolationProfile profile = IsolationProfile::strict;
  std::optional<IsolationProfile> required_profile;  ///< as in EvaluateOptions
  BoxLimits limits;
  StageLimits stages;  ///< of the reference, and of the build, which runs without the tool
};

struct SanitizeFindings {
  SourceFile problem, candidate;
  std::string size;  ///< that was used
  std::map<std::string, std::string> constants;
  std::string precision, device, secret;
  std::string program;
  int forwards = 0;
  std::string isolation_level;
  std::vector<SanitizerResult> tools;  ///< in the order asked for
};

/// Runs each tool. What a candidate does, its build included, only ever ends in a result `incomplete`; an error is the
/// problem's, the machine's or the user's (a missing file), or an interruption. `device` is held from the first call on
/// it to the last.
Result<SanitizeFindings> sanitize(const EvaluateContext& context, const SanitizeOptions& options);

}  // namespace kbv
