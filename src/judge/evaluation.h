// SPDX-License-Identifier: MIT
// The stages of one evaluation; internal to the judge layer.
#pragma once

#include "base/secret.h"
#include "judge/attested_call.h"
#include "judge/device_watch.h"
#include "judge/evaluate.h"
#include "judge/noise.h"

namespace kbv {

/// Keeps, for each output, the comparison with the largest error.
void keep_worst(std::vector<OutputCheck>& worst, const std::vector<OutputCheck>& next);

/// Notes what a call with watch_memory saw, and on CUDA what the worker claims of its allocator.
void note_memory(MemoryReading& memory, const CallResult& call, bool cuda);

class Evaluation {
 public:
  Evaluation(const EvaluateContext& context, const EvaluateOptions& options);

  /// Runs all stages; facts go to `observation` as they come, so that it is useful after an error too.
  Result<void> run(Observation& observation);

 private:
  Result<void> freeze();          // read and hash the sources, then make the secret
  Result<void> start_processes();
  Result<void> prepare_candidate();
  Result<void> attach();  // the processes begin to use the device
  Result<void> learn_layout();
  Result<void> prepare_baselines();  // warmed up, their memory measured
  Result<void> prepare_buffers();
  Result<void> load();
  Result<void> check_cases();
  Result<void> check_noise();  // noise.cpp
  Result<void> check_noise_on(const NoiseInputs& inputs, Noise& noise);
  Result<void> check_families();
  Result<void> check_contracts();
  Result<void> check_parameters();
  Result<void> measure_memory();
  Result<void> measure_times();
  Result<void> trace_kernels();

  /// One call of the candidate on one draw, compared; appends to the observation's cases. False: the draw was dropped.
  Result<bool> run_case(const std::string& kind, const std::string& id, const Distribution& distribution,
                        const CallOptions& call, CallResult* result);
  /// The candidate's hand-over for the case `id`, within its time for one call and for all.
  Result<CallResult> call_candidate(const std::string& id, const CallPlan& plan, const CallOptions& options);
  /// Makes the draw of a case and what is expected of it. Nothing: it is dropped, and the entry says why.
  Result<std::optional<FamilyReply>> draw_case(CaseResult& entry, std::uint64_t forward_seed);
  /// The candidate's call on the draw that was just made, compared.
  Result<void> call_on_draw(CaseResult& entry, const FamilyReply& drawn, const CallOptions& options, CallResult* result);
  /// Reference and candidate: of problems that draw random numbers in training.
  Result<void> set_training(bool training);
  /// One of the cases so far is wrong, and nobody wants to see the rest.
  bool already_failed();
  bool evicts_cache() const { return device_.info().backend == "cuda" && !options_.warm; }
  /// How many calls of the smallest kernel make a worker that has waited as quick as it gets: on an H200 the first takes 0.2 ms
  /// and from the tenth on they differ no more. On the CPU it is its threads that have to come back, which one call does.
  int warm_calls() const { return device_.info().backend == "host" ? 1 : 10; }
  /// The snapshot of call `call` against the expected outputs of the draw in `slot`.
  Result<std::vector<OutputCheck>> compare_snapshot(int call = 0, int slot = 0);
  /// Tells the worker the tree of a draw in one of its slots, if it is another: numbers in it change from draw to draw.
  Result<void> tell_inputs(Worker& worker, std::vector<CallBuffers>& slots, int slot, const nlohmann::json& tree);
  /// Whether the candidate wrote to its inputs in `slot`, or past their end.
  Result<bool> inputs_changed(int slot);

  // Parameters (parameters.cpp).
  /// What the reference's parameters are; buffers for those as constructed and the others.
  Result<nlohmann::json> bind_parameters();
  Result<void> bind_candidate_state();
  /// The models anew, with other parameters. False: this way leads nowhere.
  Result<bool> give_parameters(const nlohmann::json& listing, const std::string& regime, const std::string& way);
  /// All cases with other parameters. False: one of them is wrong, or the parameters can't be given in this way.
  Result<bool> try_parameters(const nlohmann::json& listing, const std::string& way);
  /// Another process, with the candidate loaded as in the first.
  Result<void> restart_candidate();

  // Baselines (baselines.cpp).
  struct Variant {
    BaselineResult result;
    std::string model = "model";
    nlohmann::json flags = nlohmann::json::object();  // what to set; empty: PyTorch's defaults
  };
  static std::vector<Variant> variants(bool cuda, bool compiled);
  Result<nlohmann::json> set_flags(const nlohmann::json& flags);
  /// One hand-over of a variant, its outputs compared; its flags are set for that time only.
  Result<std::optional<CallResult>> run_variant(Variant& variant, const CallPlan& plan, CallOptions call);

  // Times (timing.cpp): rounds in which each implementation has one turn.
  struct Turn {
    std::string name;             // "null", "eager"..., "candidate"
    Variant* variant = nullptr;   // of a baseline
    TimeSamples* samples = nullptr;
  };
  struct Round {
    std::string id;                   // "timed-7"
    int calls = 1;
    std::uint64_t forward_seed = 0;
    std::vector<int> order, outputs;  // as in CallPlan
    std::vector<nlohmann::json> inputs;  // what each slot's draw is like
  };
  /// Fresh inputs and what is expected of them, the same for all who have a turn. False: the reference's output is not finite.
  Result<bool> draw_round(Round& round);
  Result<bool> take_turn(const Turn& turn, const Round& round, DeviceWatch& watch, CallResult& result);
  Result<void> time_round(const std::vector<Turn>& turns, int round, int calls, DeviceWatch& watch);
  Result<void> prepare_batches(const std::vector<Turn>& turns, DeviceWatch& watch);
  Result<void> bind_slots(int slots, int snapshots);
  void conclude_baselines();

  /// Notes what isolation a box of the candidate's has; refuses less than is required.
  Result<void> check_box(const IsolationReport& isolation);
  /// Notes what the boxes refused; each call once.
  void note_refused(const std::vector<RefusedCall>& calls);
  /// Memory that the reference lacks, or that other programs have taken, is not the candidate's fault.
  void blame_for_memory(Error& error) const;
  void end_candidate();
  Result<void> run_stages();
  Result<void> use_device();
  /// Leaves nothing of this evaluation on the device. The oracle serves the next if this one `went_well`.
  void leave_device(bool went_well);
  void note_facts(const nlohmann::json& facts);
  void stage(const char* name);

  const EvaluateContext& context_;
  const EvaluateOptions& options_;
  const StageLimits trusted_stages_ = options_.stages.for_trusted();  // of the reference and the baselines
  Device& device_;
  Observation* seen_ = nullptr;
  Secret secret_;
  std::string candidate_source_;
  ProblemSpec problem_;
  BuildBundle bundle_;
  // Two processes hold the reference: the oracle makes inputs and expected outputs, the baseline is timed. So a
  // baseline's timed call has the same neighbours as a candidate's: other processes' work just before it.
  std::unique_ptr<Reference> reference_, baseline_;
  std::vector<CallBuffers> candidate_slots_, baseline_slots_;
  std::vector<BufferSet> reference_state_, candidate_state_;  // two each: parameters as constructed, and the others
  BufferSet candidate_arguments_;                             // tensors among its constructor's arguments
  std::vector<BufferSet> snapshots_;  // what the calls of the last hand-over gave
  std::vector<Variant> variants_;
  nlohmann::json default_flags_;
  std::unique_ptr<Worker> candidate_;  // after the buffers that it maps: it dies before them
  std::optional<std::uint64_t> memory_before_;  // device memory in use before any of the candidate's code ran
  bool parameters_given_ = false;  // the reference had other parameters already
  double calls_s_ = 0;  // that the candidate's calls have taken so far
  std::size_t looked_at_ = 0;  // cases that is_wrong has seen
  bool failed_ = false;
  std::string stage_name_;
  Clock::time_point stage_start_ = Clock::now();
};

}  // namespace kbv
