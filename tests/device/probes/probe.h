// SPDX-License-Identifier: MIT
// A probe: one question about a GPU machine that kbv's safety or clock depends on, answered by trying it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace kbv::cuda::probes {

using nlohmann::json;

enum class Outcome {
  ok,        ///< as kbv relies on it, or a fact that it does not rely on
  surprise,  ///< answered, but not as kbv relies on it
  failed,    ///< not answered
  skipped,   ///< can't be asked here
};
const char* to_string(Outcome outcome);

struct Finding {
  Outcome outcome = Outcome::ok;
  std::string text;  ///< one line for a person
  json numbers = json::object();
};

struct Options {
  double drift_s = 60;
  double spin_s = 3;               ///< how long the kernels last that are killed
  std::uint64_t memory_bytes = 0;  ///< how much the probe of old bytes fills; 0: 85 % of what is free
};

struct Probe {
  int number;
  const char* name;
  double limit_s;  ///< it is killed then
  Result<Finding> (*run)(const Options& options);
};

/// All ten, by number.
const std::vector<Probe>& all_probes();

Result<Finding> probe_hand_over(const Options& options);
Result<Finding> probe_snapshot_delay(const Options& options);
Result<Finding> probe_export(const Options& options);
Result<Finding> probe_widening(const Options& options);
Result<Finding> probe_old_bytes(const Options& options);
Result<Finding> probe_persisting_cache(const Options& options);
Result<Finding> probe_nvml(const Options& options);
Result<Finding> probe_start_in_box(const Options& options);
Result<Finding> probe_kill(const Options& options);
Result<Finding> probe_clock_drift(const Options& options);

}  // namespace kbv::cuda::probes
