// SPDX-License-Identifier: MIT
// What a person sees of a campaign that runs: one line that changes in place on a terminal; elsewhere a line for each
// candidate.
#pragma once

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "judge/observation.h"
#include "score/protocol.h"

namespace kbv {

/// What a line is made of.
struct RunState {
  std::size_t total = 0;   ///< candidates of this start
  std::size_t done = 0;    ///< judged in it
  std::size_t failed = 0;  ///< that the machine failed
  double elapsed_s = 0;
  std::map<std::string, int> stages;    ///< how many candidates are in each: "build", "wait for the device"...
  std::map<std::string, int> verdicts;  ///< under attested, by code
};

/// "37/100 done, 41 an hour, 1 h 32 min left | building 3, waiting 2, on the device 1 | correct 20, wrong_output 8"
std::string progress_line(const RunState& state);

/// "5 s", "12 min", "3 h 20 min": as exact as a person wants it.
std::string rough_duration(double seconds);

/// Safe to call from any thread.
class RunProgress {
 public:
  RunProgress(std::size_t total, std::FILE* out, bool terminal);
  ~RunProgress() { end(); }
  void end();  ///< of the line that changes in place

  void stage(std::size_t thread, const std::string& stage);  ///< empty: it has no candidate
  void judged(const std::string& label, const Verdict& verdict, const Observation& observation);
  void tried(const std::string& label, const Error& error);  ///< and will be tried again
  void failed(const std::string& label, const Error& error);

  RunState state();
  /// Sums over the candidates that were judged [s], by stage.
  std::map<std::string, double> stage_seconds();

 private:
  void say(const std::string& line);  ///< a line that stays
  void show();

  std::FILE* out_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  RunState state_;
  std::map<std::size_t, std::string> stages_;
  std::map<std::string, double> stage_seconds_;
  bool shown_ = false;
};

}  // namespace kbv
