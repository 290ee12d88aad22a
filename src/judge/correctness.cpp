// SPDX-License-Identifier: MIT
// The candidate's outputs on fresh inputs: against the reference's, and against the reference in float64.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "judge/draw_case.h"
#include "judge/evaluation.h"
#include "judge/families.h"
#include "judge/output_order.h"

namespace kbv {

using nlohmann::json;

Result<std::vector<OutputCheck>> Evaluation::compare_snapshot(int call, int slot) {
  std::vector<OutputCheck> checks;
  const BufferSet& expected = reference_->draw_out(slot);
  const BufferSet& got = snapshots_[static_cast<std::size_t>(call)];
  for (std::size_t i = 0; i < expected.leaves.size(); ++i) {
    const Leaf& leaf = expected.leaves[i];
    KBV_TRY_ASSIGN(const CompareStats stats,
                   device_.compare(leaf.dtype, *expected.buffers[i], *got.buffers[i], leaf.elements));
    checks.push_back({leaf.path, leaf.dtype, leaf.shape, stats});
  }
  return checks;
}

Result<void> Evaluation::tell_inputs(Worker& worker, std::vector<CallBuffers>& slots, int slot, const json& tree) {
  json& known = slots[static_cast<std::size_t>(slot)].in.tree;
  if (tree == known) return {};
  KBV_TRY(worker.request({{"op", "inputs"}, {"set", fmt::format("in{}", slot)}, {"tree", tree}}, 60, "runtime_error"));
  known = tree;
  return {};
}

Result<bool> Evaluation::inputs_changed(int slot) {
  const BufferSet& given = candidate_slots_[static_cast<std::size_t>(slot)].in;
  KBV_TRY_ASSIGN(const bool same, same_bytes(device_, reference_->draw_in(slot), given));
  if (!same) return true;
  return past_end_written(device_, given);
}

Result<std::optional<FamilyReply>> Evaluation::draw_case(CaseResult& entry, std::uint64_t forward_seed) {
  auto drawn = kbv::draw_case(*reference_, entry, forward_seed);
  if (drawn && *drawn)
    seen_->contracts.reference_writes_inputs = seen_->contracts.reference_writes_inputs || (*drawn)->writes_inputs;
  return drawn;
}

Result<bool> Evaluation::run_case(const std::string& kind, const std::string& id, const Distribution& distribution,
                                  const CallOptions& call, CallResult* result) {
  CaseResult& entry = seen_->cases.emplace_back();
  entry.id = id;
  entry.kind = kind;
  entry.distribution = distribution.name;
  entry.scale = distribution.scale;
  entry.seed = secret_.seed("draw/" + id);
  CallOptions options = call;
  options.forward_seed = secret_.seed("forward/" + id);
  options.timeout_s = options_.stages.call_s;

  KBV_TRY_ASSIGN(const std::optional<FamilyReply> drawn, draw_case(entry, options.forward_seed));
  if (!drawn) return false;
  KBV_TRY(call_on_draw(entry, *drawn, options, result));
  return true;
}

Result<CallResult> Evaluation::call_candidate(const std::string& id, const CallPlan& plan, const CallOptions& options) {
  const auto begun = Clock::now();
  auto called = attested_calls(device_, *candidate_, plan, options);
  calls_s_ += seconds_since(begun);
  if (called && calls_s_ > options_.stages.all_calls_s)
    return fail(Fault::candidate, "timeout",
                fmt::format("{}: its calls took {:.1f} s in all until then, the limit is {:g} s", id, calls_s_,
                            options_.stages.all_calls_s));
  if (!called) called.error().message = id + ": " + called.error().message;
  return called;
}

Result<void> Evaluation::call_on_draw(CaseResult& entry, const FamilyReply& drawn, const CallOptions& options,
                                      CallResult* result) {
  KBV_TRY(tell_inputs(*candidate_, candidate_slots_, 0, drawn.inputs));
  const std::array<int, 1> order{0};
  KBV_TRY_ASSIGN(
      const CallResult called,
      call_candidate(entry.id,
                     {{candidate_slots_.data(), 1}, {&reference_->draw_in(), 1}, {snapshots_.data(), 1}, order, order},
                     options));
  entry.ran = true;
  KBV_TRY_ASSIGN(entry.outputs, compare_snapshot());
  KBV_TRY(compare_exact(device_, *reference_, drawn, snapshots_[0], entry.outputs));
  KBV_TRY_ASSIGN(entry.mutated_inputs, inputs_changed(0));
  if (result) *result = called;
  return {};
}

bool Evaluation::already_failed() {
  if (options_.all_cases || !options_.is_wrong) return false;
  for (; !failed_ && looked_at_ < seen_->cases.size(); ++looked_at_) {
    const CaseResult& result = seen_->cases[looked_at_];
    failed_ = result.ran && options_.is_wrong(*seen_, result);
  }
  return failed_;
}

Result<void> Evaluation::check_cases() {
  for (int trial = 0; trial < options_.trials; ++trial)
    KBV_TRY(run_case("trial", fmt::format("trial-{}", trial), k_distributions[0], {}, nullptr));
  for (const auto& distribution : k_distributions)
    KBV_TRY(run_case("hidden", fmt::format("hidden-{}", distribution.name), distribution, {}, nullptr));
  return {};
}

Result<void> Evaluation::set_training(bool training) {
  if (!reference_->draws_random()) return {};
  KBV_TRY(reference_->set_training(training));
  KBV_TRY(candidate_->request({{"op", "mode"}, {"training", training}}, options_.stages.call_s, "runtime_error"));
  return {};
}

Result<void> Evaluation::check_families() {
  if (!reference_->has_exact() || already_failed()) return {};
  seen_->contracts.eval_mode = reference_->draws_random();
  KBV_TRY(set_training(false));
  for (const char* family : k_families) {
    KBV_TRY(run_case("family", std::string("family-") + family, {family, 1.0}, {}, nullptr));
    if (already_failed()) break;
  }
  if (!already_failed()) KBV_TRY(check_contracts());
  return set_training(true);
}

Result<void> Evaluation::check_contracts() {
  Contracts& contracts = seen_->contracts;
  const Distribution native = k_distributions[0];
  // The same inputs, with other garbage in the memory that the candidate will be given.
  auto kept = BufferSet::allocate(device_, reference_->output_tree(), "output", BufferSet::Kind::private_to_judge);
  if (!kept) {
    if (kept.error().code != "device_memory") return tl::make_unexpected(std::move(kept).error());
    contracts.note = "no room to keep an output beside the next one";
    return {};
  }
  const auto keep = [&]() -> Result<void> {
    KBV_TRY(copy_set(device_, *kept, snapshots_[0]));
    return device_.sync();
  };
  constexpr std::array k_garbage{0xFF, 0x00, 0x7F};
  CaseResult first;
  first.seed = secret_.seed("draw/repeat");
  CallOptions call;
  call.timeout_s = options_.stages.call_s;
  call.forward_seed = secret_.seed("forward/repeat");
  first.kind = "contract";
  first.distribution = native.name;
  KBV_TRY_ASSIGN(const auto drawn, draw_case(first, call.forward_seed));
  if (!drawn) {
    contracts.note = "not looked at: " + first.drop_reason;
    return {};
  }
  if (drawn->stateful) {
    contracts.note = "calls are not repeated: the reference's output depends on the calls before";
    return {};
  }
  for (std::size_t i = 0; i < k_garbage.size(); ++i) {
    CaseResult& entry = seen_->cases.emplace_back(first);
    entry.id = fmt::format("repeat-{}", i);
    KBV_TRY(candidate_->request({{"op", "poison"}, {"byte", k_garbage[i]}}, options_.stages.call_s, "runtime_error"));
    KBV_TRY(call_on_draw(entry, *drawn, call, nullptr));
    if (i > 0) {
      KBV_TRY_ASSIGN(const bool equal, same_bytes(device_, *kept, snapshots_[0]));
      contracts.deterministic = contracts.deterministic.value_or(true) && equal;
    }
    KBV_TRY(keep());
  }
  // An output that somebody still holds must not change with the next call.
  call.hold = true;
  KBV_TRY(run_case("contract", "held", native, call, nullptr));
  KBV_TRY(keep());
  if (seen_->cases.back().ran) {
    call.hold = false;
    KBV_TRY(run_case("contract", "held-next", native, call, nullptr));
    KBV_TRY_ASSIGN(const json reply, candidate_->request({{"op", "held"}}, options_.stages.call_s, "runtime_error"));
    KBV_TRY(copy_set(device_, snapshots_[0], candidate_slots_[0].out));
    KBV_TRY(device_.sync());
    KBV_TRY_ASSIGN(const OutputOrders orders, read_output_orders(reply, snapshots_[0].leaves));
    KBV_TRY(put_in_order(device_, {&snapshots_[0]}, orders));
    KBV_TRY_ASSIGN(const bool equal, same_bytes(device_, *kept, snapshots_[0], drawn->aliases));
    contracts.reused_output = !equal;
  }
  return {};
}

Result<void> Evaluation::measure_memory() {
  MemoryReading& memory = seen_->candidate_memory;
  memory.input_bytes = candidate_slots_[0].in.bytes();
  memory.output_bytes = candidate_slots_[0].out.bytes();
  CallResult result;
  CallOptions call;
  call.watch_memory = true;
  KBV_TRY_ASSIGN(const bool measured, run_case("timed", "memory", k_distributions[0], call, &result));
  if (measured) note_memory(memory, result, device_.info().backend == "cuda");
  return {};
}

}  // namespace kbv
