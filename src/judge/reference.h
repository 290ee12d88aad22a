// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "build/build_stage.h"
#include "judge/buffer_set.h"
#include "problem/problem.h"
#include "worker/worker.h"

namespace kbv {

struct DrawReply {
  bool finite = true;     ///< every expected output is finite
  nlohmann::json inputs;  ///< the tree, with this draw's numbers
};

/// The reference worker: it holds the problem's Model, makes inputs and expected outputs, and times baselines. It is
/// trusted; a failure in it is the problem's fault.
class Reference {
 public:
  /// Launches it. Nothing has been waited for yet.
  static Result<std::unique_ptr<Reference>> start(const WorkerHost& host, const StageLimits& limits);

  /// Waits for Python and PyTorch; the facts they tell about themselves.
  const Result<nlohmann::json>& hello();
  /// Imports a problem file and makes the constructor's arguments under `seed`. An earlier problem is forgotten.
  Result<void> load(const ProblemSpec& problem, std::uint64_t seed);
  /// Builds the Model under `seed`; any earlier one is gone.
  Result<void> construct(std::uint64_t seed);
  /// Runs it once on one draw to learn how inputs and outputs are built.
  Result<void> learn_layout(std::uint64_t seed, std::uint64_t forward_seed, double scale = 1.0);
  /// Allocates the pristine buffers and maps them in the worker.
  Result<void> bind_draws(Device& device);
  /// One draw: inputs times `scale` and, if `expected`, what the Model makes of them, in draw_in and draw_out.
  Result<DrawReply> draw(std::uint64_t seed, double scale, std::uint64_t forward_seed, bool expected);

  const nlohmann::json& init_tree() const { return init_tree_; }
  const nlohmann::json& input_tree() const { return input_tree_; }
  const nlohmann::json& output_tree() const { return output_tree_; }
  std::uint64_t state_bytes() const { return state_bytes_; }
  bool layout_finite() const { return layout_finite_; }
  /// The constructor's arguments that are tensors; empty for most problems. Allocated by bind_draws.
  BufferSet& init_tensors() { return init_tensors_; }
  BufferSet& draw_in() { return draw_in_; }
  BufferSet& draw_out() { return draw_out_; }
  Worker& worker() { return *worker_; }

 private:
  StageLimits limits_;
  ProblemSpec problem_;
  std::optional<Result<nlohmann::json>> facts_;
  nlohmann::json init_tree_, input_tree_, output_tree_;
  std::uint64_t state_bytes_ = 0;
  bool layout_finite_ = false;
  BufferSet init_tensors_, draw_in_, draw_out_;
  std::unique_ptr<Worker> worker_;  // last: it dies before the buffers that it maps
};

}  // namespace kbv
