// SPDX-License-Identifier: MIT
// Random numbers in training: the candidate's own are right if they have the reference's distribution.
#include "judge/noise.h"

#include <fmt/format.h>

#include <array>

#include "judge/evaluation.h"
#include "judge/families.h"

namespace kbv {
namespace {

constexpr int k_spread_draws = 32;

/// Nobody's fault: then the distribution is not looked at, and the verdict says so.
bool is_lack_of_room(const Error& error) { return error.code == "device_memory" || error.code == "out_of_memory"; }

}  // namespace

std::vector<std::uint64_t> noise_seeds(const Secret& secret, const std::string& id, const std::string& side) {
  std::vector<std::uint64_t> seeds;
  for (int call = 0; call < k_noise_calls; ++call) seeds.push_back(secret.seed(fmt::format("forward/{}/{}/{}", id, side, call)));
  return seeds;
}

Result<NoiseStart> begin_noise(Device& device, Reference& reference, const Secret& secret, const NoiseInputs& inputs) {
  std::vector<std::uint64_t> seeds = noise_seeds(secret, inputs.id, "first");
  const std::vector<std::uint64_t> others = noise_seeds(secret, inputs.id, "reference");
  seeds.insert(seeds.end(), others.begin(), others.end());
  return reference.begin_noise(device, secret.seed(std::string("draw/") + inputs.id), seeds, inputs.twins);
}

Result<std::vector<NoiseSpread>> noise_spreads(Reference& reference, const Secret& secret) {
  std::vector<std::array<std::uint64_t, 3>> draws;
  for (int draw = 0; draw < k_spread_draws; ++draw) {
    const std::string id = fmt::format("noise-spread/{}", draw);
    draws.push_back({secret.seed("draw/" + id), secret.seed("forward/" + id + "/a"), secret.seed("forward/" + id + "/b")});
  }
  return reference.noise_spreads(draws);
}

Result<void> Evaluation::check_noise() {
  if (!reference_->draws_random()) return {};
  Noise& noise = seen_->noise.emplace();
  for (const NoiseInputs& inputs : k_noise_inputs) {
    auto done = check_noise_on(inputs, noise);
    if (!done && (done.error().fault == Fault::candidate || !is_lack_of_room(done.error()))) return done;
    if (!done) noise.note = "no room for many calls: " + done.error().message;
  }
  KBV_TRY(reference_->end_noise());
  auto spreads = noise_spreads(*reference_, secret_);
  if (!spreads && !is_lack_of_room(spreads.error())) return tl::make_unexpected(std::move(spreads).error());
  if (spreads) noise.spreads = std::move(*spreads);
  if (noise.draws.empty() && noise.note.empty()) noise.note = "the reference's output is not finite";
  return {};
}

Result<void> Evaluation::check_noise_on(const NoiseInputs& inputs, Noise& noise) {
  KBV_TRY_ASSIGN(const NoiseStart start, begin_noise(device_, *reference_, secret_, inputs));
  if (start.calls == 0) return {};
  CaseResult& entry = seen_->cases.emplace_back();
  entry.id = inputs.id;
  entry.kind = "noise";
  entry.distribution = k_distributions[0].name;
  entry.seed = secret_.seed("draw/" + entry.id);
  entry.calls = start.calls;
  KBV_TRY(tell_inputs(*candidate_, candidate_slots_, 0, start.inputs));
  const std::vector<std::uint64_t> seeds = noise_seeds(secret_, inputs.id, "candidate");
  const std::array<int, 1> order{0};
  CallOptions call;
  call.timeout_s = options_.stages.call_s;
  for (int number = 0; number < start.calls; ++number) {
    call.forward_seed = seeds[static_cast<std::size_t>(number)];
    KBV_TRY(call_candidate(entry.id,
                           {{candidate_slots_.data(), 1}, {&reference_->draw_in(), 1}, {snapshots_.data(), 1}, order, order}, call));
    KBV_TRY(copy_set(device_, reference_->noise_got(), snapshots_[0]));
    KBV_TRY(device_.sync());
    KBV_TRY(reference_->take_noise());
    KBV_TRY_ASSIGN(const bool changed, inputs_changed(0));
    entry.mutated_inputs = entry.mutated_inputs || changed;
  }
  KBV_TRY_ASSIGN(std::vector<NoiseOutput> outputs, reference_->noise_outputs());
  entry.ran = true;
  for (const Leaf& leaf : snapshots_[0].leaves) {
    OutputCheck& output = entry.outputs.emplace_back(OutputCheck{leaf.path, leaf.dtype, leaf.shape, {}});
    output.stats.count = leaf.elements * (is_complex(leaf.dtype) ? 2 : 1);
  }
  noise.draws.push_back({entry.id, start.calls, std::move(outputs)});
  return {};
}

}  // namespace kbv
