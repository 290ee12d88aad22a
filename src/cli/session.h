// SPDX-License-Identifier: MIT
// What the verbs that evaluate have in common: a device, a Python, limits.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/say.h"
#include "judge/evaluate.h"

namespace kbv {

struct SessionOptions {
  std::string device = "auto";  ///< "auto", "cpu", "cuda", "cuda:N"
  std::string python;
  std::string precision = "native";
  std::string isolation = "strict";          ///< "strict", "basic", "none": what is asked for
  std::string require_isolation;             ///< refuse less than this; "" takes what can be had
  std::vector<std::string> read_only_paths;  ///< --bind
  std::uint64_t memory_limit_mib = 0;        ///< a candidate's host memory; 0: chosen from what the machine has
  std::string instrument;                    ///< --instrument; "": the one at instrument_path(), if it is there
  int jobs = 1;
};

class Session {
 public:
  static Result<std::unique_ptr<Session>> open(const SessionOptions& options);

  Device& device() { return *device_; }
  bool cuda() const { return device_->info().backend == "cuda"; }
  const WorkerHost& host() const { return host_; }
  EvaluateContext context() { return {*device_, host_, lane_, {}, nullptr}; }

  /// How many evaluations share the machine's memory from now on.
  void set_jobs(int jobs) { options_.jobs = jobs; }

  /// Defaults for one evaluation: profile, limits, and how well times are known here.
  void apply(EvaluateOptions& options) const;

 private:
  SessionOptions options_;
  std::unique_ptr<Device> device_;
  WorkerHost host_;
  std::optional<Instrument> instrument_;
  std::mutex lane_;
};

/// Calls run(), and meanwhile shows the stage on stderr, if that is a terminal.
template <typename Run>
auto with_progress(EvaluateContext& context, Run run) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  if (terminal) context.progress = [](const std::string& stage) { say(stderr, "\r\033[K{} ...", stage); };
  auto result = run();
  if (terminal) say(stderr, "\r\033[K");
  return result;
}

/// Prints "kbv: message" on stderr, with the first lines of the detail; the exit code that the fault means.
int print_error(const Error& error);

}  // namespace kbv
