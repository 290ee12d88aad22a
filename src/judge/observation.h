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
#include "device/exact_stats.h"
#include "look/labels.h"
#include "tracer/provenance.h"

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

/// How far a right implementation is from float64, see docs/protocols.md, "The error budget".
struct MemberErrors {
  std::string name;  ///< "eager" (no TF32), "reordered", "halves"; in TF32: "tf32_library", "tf32_nearest", "tf32_truncated"
  double e_max = 0, e_rms = 0;
  std::optional<double> e_var;
};

/// One output leaf against the reference in float64, and what right implementations of the same are.
struct ExactCheck {
  ExactStats stats;
  /// ||r - its mean over dimension 0||, the part of an output that tells samples apart; nothing where there are no samples, and in X1.
  std::optional<double> variation;
  double rho_max = 0;  ///< the largest slice's floor
  std::vector<MemberErrors> members;
};

/// How one comparison of one output leaf went.
struct OutputCheck {
  std::string path;  ///< "output", "output[1]", "output['mask']"
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  CompareStats stats;
  std::optional<ExactCheck> exact = {};  ///< where there is a float64 oracle of this case
};

/// Something measured of each of many calls, of the reference and of the candidate by turns: over pairs of calls the sums of
/// the differences candidate - reference and of their squares. In units of the reference's own noise.
struct NoiseMeasure {
  std::string name;  ///< "mean", "size", "zeros", "noise: the same along dimension 0"...
  double expected = 0, got = 0;    ///< means over calls
  double sum = 0, sum_sq = 0;
  double linear = 0, square = 0;   ///< what an error of a part t of the output's size changes: t * linear + t^2 * square
};

/// The same of something that every element has: ||sum of differences||^2, and of the matrix of the differences' products, all divided by
/// the number of elements, what bounds it.
struct NoiseField {
  std::string name;  ///< "each element's mean", "each element's size"
  double sum = 0, trace = 0, frobenius = 0, top = 0;
  double linear = 0, square = 0;
};

/// One output in many calls on one draw of inputs.
struct NoiseOutput {
  double sigma = 0, size = 0;  ///< of the reference: rms of what calls differ from their mean by, and of the output
  bool finite = true;          ///< all of the candidate's elements that were looked at
  /// ||a - b||^2 of two calls, in units of sigma^2 and for each element: of the reference its mean, standard deviation and least over pairs of
  /// calls; of the candidate the least.
  double far_mean = 0, far_sd = 0, far_least = 0, least = 0;
  std::vector<NoiseMeasure> measures;
  std::vector<NoiseField> fields;
};

/// Many calls on the inputs of the case of this id, kind "noise".
struct NoiseDraw {
  std::string id;
  int calls = 0;  ///< pairs; 0: only the reference was called
  std::vector<NoiseOutput> outputs;
};

/// Of ||a - b||^2 / ||b||^2 of two right outputs on the same fresh inputs, over draws.
struct NoiseSpread {
  double mean = 0, sd = 0;
};

/// Of a forward that draws random numbers in training: whether the candidate's are distributed as the reference's. See docs/protocols.md.
struct Noise {
  std::vector<NoiseDraw> draws;
  std::vector<NoiseSpread> spreads;  ///< one for each output; empty: not measured
  std::string note;                  ///< why the distribution was not looked at; empty if it was
};

/// One call of the candidate on one draw, compared with the reference.
struct CaseResult {
  std::string id;            ///< "trial-0", "hidden-D2", "timed-17", "family-S1", "repeat-1", "parameters-P1-S10"
  /// "trial" (D1), "hidden" (D1 to D4), "timed" (D1), "family", "contract" (D1, repeated or kept), "parameters" (other than as constructed),
  /// "noise" (D1; many calls, see Noise; of the last one only the number of elements is told)
  std::string kind;
  std::string distribution;  ///< "D1" to "D4", or a family: "S1"...
  double scale = 1.0;
  std::uint64_t seed = 0;    ///< of the inputs; derived from the secret and the id
  bool dropped = false;      ///< the reference was not finite (or failed): counts for nobody
  std::string drop_reason;
  bool outside_domain = false;  ///< scaled, an input holds values of a kind that it should not: 3 times a sign
  std::string no_oracle;  ///< why its outputs were not compared with float64; empty if they were, or nobody asked
  bool no_room = false;   ///< the device had no room to compare with float64: nobody's fault, but nothing to pass on either
  bool ran = false;  ///< the candidate returned outputs that could be compared
  bool mutated_inputs = false;  ///< the candidate wrote to its input buffers, or past the end of one
  int calls = 1;  ///< in one hand-over; of each output, the worst of its calls
  std::vector<OutputCheck> outputs;
};

/// What holds whatever the numbers are.
struct Contracts {
  bool reference_writes_inputs = false;
  bool eval_mode = false;  ///< families and contracts ran in eval mode: in training the reference draws random numbers
  /// An output changed when the next call was made.
  std::optional<bool> reused_output;
  /// The same inputs gave the same bits, with other garbage in free memory.
  std::optional<bool> deterministic;
  std::string note;     ///< what was not looked at, and why
  std::string no_room;  ///< what the device had no room for; then an output was not compared with float64
};

/// Parameters other than as constructed, and how the candidate got them.
struct Parameters {
  int count = 0;                       ///< of the reference's parameters
  std::vector<std::string> delivered;  ///< names, by whatever way
  std::vector<std::string> missing;    ///< the candidate holds nothing that is like them
  std::string way;                     ///< "substituted", "state_dict"; empty: not varied
  std::string note;                    ///< why not varied
};

/// Raw times of one implementation, in microseconds, in order.
struct TimeSamples {
  /// Single calls, by the judge's clock: from before the inputs are revealed to after the snapshot. One entry a call.
  std::vector<double> attested_us;
  /// Of each of them, by the judge's clock: from the word go to what the worker said was the end of its forward.
  std::vector<double> forward_us;
  std::vector<double> claimed_us;  ///< of each, the worker's own event timing (CUDA events; perf_counter on the CPU)
  /// Hand-overs of Timing::batch_calls calls: the whole; and of the calls in it, the median forward and the worker's own median.
  std::vector<double> batch_us, batch_forward_us, batch_claimed_us;
};

/// How the device was, by NVML; a field is empty where it does not tell.
struct DeviceState {
  double at_s = 0;  ///< since timing began
  std::optional<unsigned> sm_clock_mhz, memory_clock_mhz, temperature_c, power_mw;
  std::vector<std::string> throttle_reasons;  ///< "sw_power_cap", "hw_thermal_slowdown"...
  std::optional<unsigned> foreign_processes;  ///< with a context on the device, but not below the judge
};

/// How the times were taken: all implementations in turn, each in a process of its own, the candidate stopped while
/// another has its turn.
struct Timing {
  std::string cache_rule;  ///< "cold: last-level cache evicted before each hand-over", "warm: ..."
  int batch_calls = 1;     ///< calls in one of TimeSamples::batch_us; 1: there are none
  std::string why_single;  ///< why there are none
  double null_us = 0;      ///< how long the null's kernel waits on the device, after the first rounds: about as long as the fastest
  int warm_calls = 0;      ///< of the smallest kernel, first in each hand-over: what a waiting process lost comes back
  int rounds = 0;          ///< that count: one turn of each implementation
  int redone_rounds = 0;   ///< that do not count: the device was disturbed
  std::string ended_by;    ///< why no more: "precision", "time budget", "call limit"; empty if none were made
  /// After the candidate said that it was done, the device was busy this often, at most this long.
  int busy_after_calls = 0;
  double longest_busy_ms = 0;
  double memory_bytes_per_s = 0;  ///< read and written by the judge's own copy of a large buffer; 0: not measured
  /// What the reference's forward takes in products and convolutions, and what this device does a second in a large product of
  /// bfloat16; 0: none, or not measured.
  std::uint64_t operations = 0;
  double operations_per_s = 0;
  /// What `kbv bench timing --write` measured on this machine: below floor_us a time is not told from another. 0: not measured.
  double floor_us = 0, floor_part = 0;
  std::string floor_measured_at;
  std::vector<DeviceState> device;  ///< before the first round, and after rounds
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
  std::vector<OutputCheck> check;  ///< of one call of each hand-over the worst for each output, against the default-flag reference
};

struct Observation {
  static constexpr const char* k_schema = "kbv-observation/5";

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
  std::vector<RefusedCall> refused_calls;  ///< in the boxes of the candidate's code; told by the kernel, so no claim of its

  std::vector<OutputCheck> output_layout;  ///< what the reference returns; stats empty
  std::vector<CaseResult> cases;
  Contracts contracts;
  Parameters parameters;
  std::optional<Noise> noise;  ///< nothing: the forward draws no random numbers, or nobody looked

  Timing timing;
  TimeSamples null;  ///< same protocol, sizes and rounds; the smallest forward, in the baselines' process
  std::vector<BaselineResult> baselines;
  TimeSamples candidate_time;
  MemoryReading candidate_memory;
  /// What ran on the device in one untimed call of each, by CUPTI in their own processes; nothing on the host, or where the
  /// call failed. The candidate's is its own word: labels are made of it, never a verdict.
  std::optional<KernelTrace> candidate_kernels, eager_kernels;
  std::vector<std::string> labels;  ///< "library_only", "decoy_kernel"...; see provenance_labels()
  SourceLabels source_labels;  ///< what the static look found; no protocol reads them
  ProvenanceContext source_kernels;  ///< what the candidate's source defines, as a scan of its text finds it

  BuildFacts build;
  std::string candidate_output;  ///< its stdout and stderr, bounded

  /// What ended the evaluation early, and whose fault it is; empty when every stage ran.
  std::optional<Error> fault;
};

}  // namespace kbv
