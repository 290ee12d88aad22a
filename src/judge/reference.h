// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>

#include "build/build_stage.h"
#include <span>

#include "base/secret.h"
#include "judge/buffer_set.h"
#include "judge/observation.h"
#include "problem/problem.h"
#include "worker/worker.h"

namespace kbv {

struct Draw {
  std::uint64_t seed = 0;
  bool expected = true;  ///< what the Model makes of the inputs is wanted too
};

struct DrawReply {
  bool finite = true;                  ///< every expected output of all draws is finite
  std::vector<nlohmann::json> inputs;  ///< the tree of each draw, with its numbers
};

/// What a draw that float64 judges is like; its buffers hold it.
struct FamilyReply {
  enum class Status { ok, not_finite, inexact, no_oracle, no_room };
  Status status = Status::ok;
  std::string why;
  bool stateful = false;       ///< the Model's output depends on the calls before
  std::vector<bool> aliases;   ///< for each output, whether it lies in an input or a parameter
  bool in_domain = true;       ///< every input holds values of a kind that it may hold: -1 times a probability is none
  bool writes_inputs = false;  ///< the Model's forward did
  nlohmann::json inputs;       ///< the tree, with its numbers
  struct Output {
    std::optional<double> variation;
    double rho_max = 0;
    std::vector<MemberErrors> members;
  };
  std::vector<Output> outputs;  ///< empty unless status is ok or inexact
};

/// A draw on which random outputs are looked at.
struct NoiseStart {
  int calls = 0;         ///< of the candidate's that are wanted; 0: there is nothing to see on this draw
  std::string why;       ///< why not
  nlohmann::json inputs; ///< the tree, with its numbers
};

/// Whether a reference worker is of no more use after this error: CUDA's errors stay with their context, and out of memory may
/// leave pieces behind.
bool spends_worker(const Error& error);

/// The reference worker: it holds the problem's Model, makes inputs and expected outputs, and times baselines. It is
/// trusted; a failure in it is the problem's fault.
class Reference {
 public:
  /// Launches it. Nothing has been waited for yet.
  static Result<std::unique_ptr<Reference>> start(const WorkerHost& host, const StageLimits& limits);

  /// Waits for Python and PyTorch; the facts they tell about themselves.
  const Result<nlohmann::json>& hello();
  /// After hello(), and before construct(): begins to use the device. Nothing if it does already.
  Result<void> attach();
  /// Imports a problem file and makes the constructor's arguments under `seed`, on the CPU. An earlier problem is forgotten.
  Result<void> load(const ProblemSpec& problem, std::uint64_t seed);
  /// Drops the problem, its buffers and what it holds on the device.
  Result<void> forget();
  /// Builds the Model under `seed`; any earlier one is gone.
  Result<void> construct(std::uint64_t seed);
  /// Runs it once on one draw to learn how inputs and outputs are built.
  Result<void> learn_layout(std::uint64_t seed, std::uint64_t forward_seed, double scale = 1.0);
  /// Allocates pristine buffers for this many draws at a time, and maps them in the worker. Those that are there stay.
  Result<void> bind_draws(Device& device, int slots = 1);
  /// Inputs times `scale` and what the Model makes of them: draw i in draw_in(i) and draw_out(i).
  Result<DrawReply> draw(std::span<const Draw> draws, double scale, std::uint64_t forward_seed);

  /// Allocates and maps what family() fills: the outputs in float64, and the floor of each slice.
  Result<void> bind_exact(Device& device);
  /// One draw of a distribution ("D1"..., times `scale`) or a family: inputs in draw_in(0), the Model's outputs in draw_out(0); in float64 in
  /// exact(). Without bind_exact() nothing is kept: only what it says of itself.
  Result<FamilyReply> family(const std::string& name, double scale, std::uint64_t seed, std::uint64_t forward_seed);
  /// Sets the Model to training or eval mode.
  Result<void> set_training(bool training);

  /// Begins to look at random outputs (src/worker/noise.py): calls the Model on a draw with each of `forward_seeds`, the first half of which
  /// tells what is normal; its inputs are in draw_in(0). `twins`: every sample is the first one.
  Result<NoiseStart> begin_noise(Device& device, std::uint64_t seed, const std::vector<std::uint64_t>& forward_seeds, bool twins);
  /// Where the judge puts a candidate's output before take_noise(). Allocated by begin_noise().
  BufferSet& noise_got() { return noise_got_; }
  Result<void> take_noise();
  /// After as many takes as NoiseStart::calls.
  Result<std::vector<NoiseOutput>> noise_outputs();
  /// How far two right outputs are, over draws: of each its inputs' seed and those of two forwards.
  Result<std::vector<NoiseSpread>> noise_spreads(const std::vector<std::array<std::uint64_t, 3>>& draws);
  /// The same as takes and noise_outputs() for a stand-in of an audit. Nothing: it can't be made.
  Result<std::optional<std::vector<NoiseOutput>>> noise_of_stand_in(const std::string& kind, const std::string& what, std::uint64_t seed,
                                                                    const std::vector<std::uint64_t>& forward_seeds);
  /// Gives back what begin_noise() took.
  Result<void> end_noise();

  bool has_exact() const { return !exact_.leaves.empty(); }
  const BufferSet& exact() const { return exact_; }
  const BufferSet& rho() const { return rho_; }
  /// Real elements in one slice of output `leaf`.
  std::uint64_t slice_elements(std::size_t leaf) const { return slices_[leaf]; }

  /// Of a problem that is known, what its tensors may hold; else empty. See src/worker/families.py.
  const std::vector<std::string>& domains() const { return domains_; }

  const nlohmann::json& init_tree() const { return init_tree_; }
  const nlohmann::json& input_tree() const { return input_tree_; }
  const nlohmann::json& output_tree() const { return output_tree_; }
  std::uint64_t state_bytes() const { return state_bytes_; }
  bool layout_finite() const { return layout_finite_; }
  /// The constructor's arguments that are tensors; empty for most problems. Allocated by bind_draws.
  BufferSet& init_tensors() { return init_tensors_; }
  std::vector<BufferSet>& draws_in() { return draws_in_; }
  BufferSet& draw_in(int slot = 0) { return draws_in_[static_cast<std::size_t>(slot)]; }
  BufferSet& draw_out(int slot = 0) { return draws_out_[static_cast<std::size_t>(slot)]; }
  /// The forward draws random numbers: what it gives depends on the calls before, unless it is seeded anew.
  bool draws_random() const { return draws_random_; }
  /// Floating-point operations of one forward, in products and convolutions; 0: none, or unknown. It runs the Model once.
  Result<std::uint64_t> count_operations(std::uint64_t seed, std::uint64_t forward_seed);
  /// What the device does a second in a large product of bfloat16, the best of some; 0: it can't. CUDA only.
  Result<double> operations_per_s();
  /// What parameters of the Model, as constructed, can be varied: "entries" (names and shapes), "elements" in all, their "dtype", the number of
  /// "products" with weights, and "reach", see families.h. `limit_s` is for each of up to 16 forwards.
  Result<nlohmann::json> list_parameters(const Secret& secret, double limit_s);
  Worker& worker() { return *worker_; }

 private:
  StageLimits limits_;
  ProblemSpec problem_;
  std::optional<Result<nlohmann::json>> facts_;
  bool attached_ = false;
  nlohmann::json init_tree_, input_tree_, output_tree_;
  std::uint64_t state_bytes_ = 0;
  bool layout_finite_ = false;
  bool draws_random_ = false;
  BufferSet init_tensors_;
  std::vector<BufferSet> draws_in_, draws_out_;
  BufferSet exact_, rho_, noise_got_;
  std::vector<std::uint64_t> slices_;
  std::vector<std::string> domains_;
  std::unique_ptr<Worker> worker_;  // last: it dies before the buffers that it maps
};

}  // namespace kbv
