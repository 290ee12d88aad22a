// SPDX-License-Identifier: MIT
// What one evaluation saw: facts only, no verdicts. Everything that a protocol (score layer) needs to judge, now or
// years later. The JSON form is docs/observation.md; store/observation_json.h writes and reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "build/build_stage.h"
#include "device/compare_stats.h"
#include "device/dtype.h"

namespace kbv {

struct SourceFile {
  std::string path;    ///< as given by the user
  std::string sha256;  ///< of the bytes that were judged
  std::uint64_t bytes = 0;
};

struct MachineFacts {
  std::string backend;  ///< "host" or "cuda"
  std::string device;   ///< "NVIDIA H200", or the CPU's model name
  std::string device_uuid;
  int driver_version = 0;  ///< 13000 for CUDA 13.0; 0 on the host
  std::string kernel;      ///< uname -r
  int cpus = 0;
  std::string python, torch, cuda, cudnn;  ///< as the reference worker tells; empty where there is none
  int torch_threads = 0;
};

/// How one comparison of one output leaf went.
struct OutputCheck {
  std::string path;  ///< "output", "output[1]", "output['mask']"
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  CompareStats stats;
};

/// One call of the candidate on one draw, compared with the reference.
struct CaseResult {
  std::string id;            ///< "trial-0", "hidden-D2", "timed-17"
  std::string kind;          ///< "trial" (D1), "hidden" (D1 to D4), "timed" (D1)
  std::string distribution;  ///< "D1" to "D4"
  double scale = 1.0;
  std::uint64_t seed = 0;    ///< of the inputs; derived from the secret and the id
  bool dropped = false;      ///< the reference was not finite (or failed): counts for nobody
  std::string drop_reason;
  bool ran = false;  ///< the candidate returned outputs that could be compared
  bool mutated_inputs = false;  ///< the candidate wrote to its input buffers (evidence, not a verdict)
  std::vector<OutputCheck> outputs;
};

/// Raw times of one implementation. All vectors have one entry a call, in order, in microseconds.
struct TimeSamples {
  std::vector<double> attested_us;  ///< judge's clock, from before the inputs are revealed to after the snapshot
  std::vector<double> claimed_us;   ///< the worker's own event timing (CUDA events; perf_counter on the CPU)
};

struct MemoryReading {
  /// PyTorch's allocator, as the worker claims: peak during one forward, and allocated before it. CUDA only.
  std::optional<std::uint64_t> claimed_peak_bytes, claimed_base_bytes;
  /// Judge's view of one forward: CUDA, growth of device memory in use (caches emptied before); CPU, growth of the
  /// worker's peak resident set, reset before the call.
  std::optional<std::uint64_t> observed_growth_bytes;
  std::uint64_t input_bytes = 0, output_bytes = 0, state_bytes = 0;  ///< tensors in, tensors out, parameters + buffers
};

/// A baseline: PyTorch in one stated configuration, timed in the reference worker.
struct BaselineResult {
  std::string name;         ///< "eager", "tf32_off", "tf32_on", "compile"
  std::string description;  ///< "eager, PyTorch's default flags"
  bool matmul_tf32 = false, cudnn_tf32 = false;  ///< as read back
  bool ok = false;
  std::string problem;  ///< why not ok
  TimeSamples time;
  MemoryReading memory;
  std::vector<OutputCheck> check;  ///< the worst of its calls for each output, against the default-flag reference
};

struct Observation {
  static constexpr const char* k_schema = "kbv-observation/1";

  std::string kbv_version;
  std::string started_at;  ///< UTC, ISO 8601
  double wall_seconds = 0;
  std::map<std::string, double> stage_seconds;

  SourceFile problem, candidate;
  std::string size;                              ///< "", "cpu", "gpu"
  std::string precision = "native";              ///< "native", "fp32", "fp16", "bf16"
  std::map<std::string, std::string> constants;  ///< overridden module constants, as JSON text
  std::string secret;                            ///< hex; every seed follows from it

  MachineFacts machine;
  std::string isolation_level;  ///< "none", "basic", "strict"; empty: none of the candidate's code ran
  std::vector<std::string> isolation_layers, isolation_missing;

  std::vector<OutputCheck> output_layout;  ///< what the reference returns; stats empty
  std::vector<CaseResult> cases;

  std::string cache_rule;  ///< "cold: last-level cache evicted before each timed call", "warm: ..."
  /// Why no more timed calls were made: "precision", "time budget", "call limit"; empty if none were made.
  std::string baselines_ended_by, candidate_ended_by;
  TimeSamples null;        ///< same protocol and sizes, empty forward; beside the baselines
  std::vector<BaselineResult> baselines;
  TimeSamples candidate_time;
  TimeSamples candidate_null;  ///< the null between the candidate's timed calls; the candidate was stopped
  /// What a call costs differs a little from process to process. The null in the candidate's own process, before any of
  /// the candidate's code had run there, and turn by turn the null in the baselines' process.
  TimeSamples own_null, own_null_reference;
  MemoryReading candidate_memory;

  BuildFacts build;
  std::string candidate_output;  ///< its stdout and stderr, bounded

  /// What ended the evaluation early, and whose fault it is; empty when every stage ran.
  std::optional<Error> fault;
};

}  // namespace kbv
