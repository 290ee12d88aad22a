// SPDX-License-Identifier: MIT
// Observations for the tests of score, store and report: an honest ReLU on a GPU, to be spoiled by each test.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "judge/observation.h"
#include "score/protocol.h"

namespace kbv::test {

/// What the device's comparison gives for real elements; for a few values, by the definitions of compare_stats.h.
inline CompareStats compare_values(const std::vector<double>& expected, const std::vector<double>& got) {
  CompareStats stats;
  stats.count = expected.size();
  bool first = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double diff = std::abs(got[i] - expected[i]);
    stats.unequal += got[i] != expected[i];
    if (!std::isfinite(diff)) {
      if (stats.nonfinite++ == 0) {
        stats.worst_index = i;
        stats.worst_expected = expected[i];
        stats.worst_got = got[i];
      }
      continue;
    }
    stats.max_abs = std::max(stats.max_abs, diff);
    stats.sum_abs += diff;
    stats.sum_sq_diff += diff * diff;
    stats.sum_sq_expected += expected[i] * expected[i];
    const double tau = diff / (1 + std::abs(expected[i]));
    if (stats.nonfinite == 0 && (first || tau > stats.tau)) {
      stats.worst_index = i;
      stats.worst_expected = expected[i];
      stats.worst_got = got[i];
    }
    stats.tau = std::max(stats.tau, tau);
    first = false;
  }
  return stats;
}

inline OutputCheck make_output(const std::vector<double>& expected, const std::vector<double>& got,
                               DType dtype = DType::float32, std::vector<std::int64_t> shape = {},
                               const std::string& path = "output") {
  if (shape.empty()) shape = {static_cast<std::int64_t>(expected.size())};
  return {path, dtype, shape, compare_values(expected, got)};
}

/// As far from float64 as `error` says, where right implementations reach 2e-7, and 1e-3 in TF32 if there are products.
inline OutputCheck with_exact(OutputCheck output, double error, bool products = false) {
  ExactCheck exact;
  exact.stats.count = output.stats.count;
  exact.stats.e_max = exact.stats.e_rms = error;
  exact.stats.sum_sq_diff = error * error;
  exact.stats.worst_expected = 1;
  exact.stats.worst_got = 1 + error;
  exact.variation = 1;
  exact.rho_max = 1;
  exact.members = {{"eager", 1e-7, 1e-7, 1e-7}, {"reordered", 2e-7, 2e-7, 2e-7}};
  if (products) exact.members.push_back({"tf32_truncated", 1e-3, 1e-3, 1e-3});
  output.exact = exact;
  return output;
}

inline Protocol protocol(const std::string& name) { return find_protocol(name).value(); }

inline double scale_of(const std::string& distribution) {
  return distribution == "D2" ? 3.0 : distribution == "D3" ? 0.01 : distribution == "D4" ? -1.0 : 1.0;
}

inline CaseResult make_case(const std::string& id, const std::string& kind, const std::string& distribution,
                            std::vector<OutputCheck> outputs) {
  CaseResult result;
  result.id = id;
  result.kind = kind;
  result.distribution = distribution;
  result.scale = scale_of(distribution);
  result.seed = 9'000'000'000'000'000'001u + id.size();  // beyond what a double holds
  result.ran = true;
  result.outputs = std::move(outputs);
  return result;
}

inline const std::vector<double>& relu_inputs() {
  static const std::vector<double> inputs{0.25, 0.5, 0.75, 0.125, 0.875, 0.375};
  return inputs;
}

/// The cases of a ReLU problem whose inputs are positive, and of a candidate `function` that stands in for ReLU.
template <typename Function>
std::vector<CaseResult> relu_cases(Function function) {
  const auto output = [&](double scale) {
    std::vector<double> expected, got;
    for (const double x : relu_inputs()) {
      expected.push_back(std::max(0.0, scale * x));
      got.push_back(function(scale * x));
    }
    return std::vector<OutputCheck>{make_output(expected, got, DType::float32, {2, 3})};
  };
  std::vector<CaseResult> cases;
  for (int i = 0; i < 5; ++i) cases.push_back(make_case("trial-" + std::to_string(i), "trial", "D1", output(1)));
  for (const std::string name : {"D1", "D2", "D3", "D4"})
    cases.push_back(make_case("hidden-" + name, "hidden", name, output(scale_of(name))));
  for (const std::string& name : protocol("attested").families)
    cases.push_back(make_case("family-" + name, "family", name, {with_exact(output(1)[0], 1e-7)}));
  cases.push_back(make_case("repeat-0", "contract", "D1", {with_exact(output(1)[0], 1e-7)}));
  for (int i = 0; i < 3; ++i) cases.push_back(make_case("timed-" + std::to_string(i), "timed", "D1", output(1)));
  return cases;
}

/// 11 samples around `us` whose median is `us`.
inline std::vector<double> samples_around(double us, double step) {
  std::vector<double> samples;
  for (int i = -5; i <= 5; ++i) samples.push_back(us + step * i);
  return samples;
}

inline MemoryReading make_memory(std::uint64_t peak, std::uint64_t base, std::uint64_t growth) {
  MemoryReading memory;
  memory.claimed_peak_bytes = peak;
  memory.claimed_base_bytes = base;
  memory.observed_growth_bytes = growth;
  memory.input_bytes = 4u << 20;
  memory.output_bytes = 4u << 20;
  return memory;
}

inline BaselineResult make_baseline(const std::string& name, double us) {
  BaselineResult baseline;
  baseline.name = name;
  baseline.description = name + ", for the tests";
  baseline.matmul_tf32 = baseline.cudnn_tf32 = name == "tf32_on";
  baseline.ok = true;
  baseline.time = {samples_around(300 + us, 0.2), {}, samples_around(us, 0.1), {}, {}, {}};
  baseline.memory = make_memory(12u << 20, 0, 12u << 20);
  return baseline;
}

/// Everything went well: ReLU, right everywhere, 20 us where eager takes 30 us and tf32_on 25 us; an empty call 300 us.
inline Observation good_observation() {
  Observation o;
  o.kbv_version = "0.1.0";
  o.started_at = "2026-08-01T12:00:00Z";
  o.wall_seconds = 12.5;
  o.stage_seconds = {{"correctness", 3.25}, {"timing", 5.5}};
  o.problem = {"suite/relu.py", std::string(64, 'a'), 321};
  o.candidate = {"zoo/honest/relu_clamp.py", std::string(64, 'b'), 654};
  o.size = "gpu";
  o.secret = std::string(64, 'c');
  o.machine.backend = "cuda";
  o.machine.device = "NVIDIA H200";
  o.machine.device_uuid = "GPU-1234";
  o.machine.driver_version = 13000;
  o.machine.kernel = "6.1.0";
  o.machine.cpus = 16;
  o.machine.python = "3.12.3";
  o.machine.torch = "2.11.0";
  o.machine.cuda = "13.0";
  o.machine.cudnn = "9.13";
  o.machine.torch_threads = 8;
  o.isolation_level = "strict";
  o.isolation_layers = {"uid", "mount", "pid", "net"};
  OutputCheck layout;
  layout.path = "output";
  layout.shape = {2, 3};
  o.output_layout = {layout};
  o.cases = relu_cases([](double x) { return x > 0 ? x + 1e-7 : 0.0; });
  o.contracts.reused_output = false;
  o.contracts.deterministic = true;
  o.parameters.note = "the model has none";
  o.timing.cache_rule = "cold: last-level cache evicted before each hand-over";
  o.timing.why_single = "a call is long enough";
  o.timing.rounds = 11;
  o.timing.ended_by = "precision";
  o.null = {samples_around(300, 0.1), {}, {}, {}, {}, {}};
  o.baselines = {make_baseline("eager", 30), make_baseline("tf32_on", 25)};
  o.candidate_time = {samples_around(320, 0.2), {}, samples_around(19.5, 0.1), {}, {}, {}};
  o.candidate_memory = make_memory(8u << 20, 0, 8u << 20);
  o.build.ok = true;
  return o;
}

inline CaseResult& case_of(Observation& observation, const std::string& id) {
  for (CaseResult& result : observation.cases)
    if (result.id == id) return result;
  throw std::logic_error("no case " + id);
}

/// The candidate fails in case `id`, and nothing runs after that.
inline void fail_from(Observation& observation, const std::string& id, const Error& error) {
  bool failed = false;
  for (CaseResult& result : observation.cases) {
    failed |= result.id == id;
    if (!failed) continue;
    result.ran = false;
    result.outputs.clear();
  }
  observation.candidate_time = {};
  observation.candidate_memory = {};
  observation.fault = error;
}

}  // namespace kbv::test
