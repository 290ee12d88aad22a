// SPDX-License-Identifier: MIT
// The baselines: PyTorch in stated configurations, by the same attested call, before any of the candidate's code runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "judge/evaluation.h"

namespace kbv {

using nlohmann::json;

std::vector<Evaluation::Variant> Evaluation::variants(bool cuda, bool compiled) {
  std::vector<Variant> list;
  const auto add = [&](const char* name, const char* description, json flags, const char* model) {
    Variant variant;
    variant.result.name = name;
    variant.result.description = description;
    variant.flags = std::move(flags);
    variant.model = model;
    list.push_back(std::move(variant));
  };
  add("eager", "PyTorch eager, default flags", json::object(), "model");
  if (cuda) {
    add("tf32_off", "PyTorch eager, TF32 off for matmul and cuDNN", {{"matmul", false}, {"cudnn", false}}, "model");
    add("tf32_on", "PyTorch eager, TF32 on for matmul and cuDNN", {{"matmul", true}, {"cudnn", true}}, "model");
  }
  if (compiled) {
    if (cuda)
      add("compile", "torch.compile, TF32 on for matmul and cuDNN", {{"matmul", true}, {"cudnn", true}}, "compiled");
    else
      add("compile", "torch.compile", json::object(), "compiled");
  }
  return list;
}

void keep_worst(std::vector<OutputCheck>& worst, const std::vector<OutputCheck>& next) {
  if (worst.empty()) {
    worst = next;
    return;
  }
  for (std::size_t i = 0; i < worst.size(); ++i) {
    CompareStats& kept = worst[i].stats;
    const CompareStats& other = next[i].stats;
    // The element that is told is the worst one's; every figure is the largest of all calls.
    CompareStats merged = other.nonfinite > kept.nonfinite || (other.nonfinite == kept.nonfinite && other.tau > kept.tau) ? other : kept;
    merged.nonfinite = std::max(kept.nonfinite, other.nonfinite);
    merged.unequal = std::max(kept.unequal, other.unequal);
    merged.max_abs = std::max(kept.max_abs, other.max_abs);
    merged.sum_abs = std::max(kept.sum_abs, other.sum_abs);
    merged.tau = std::max(kept.tau, other.tau);
    const bool farther = other.sum_sq_diff * kept.sum_sq_expected > kept.sum_sq_diff * other.sum_sq_expected;
    merged.sum_sq_diff = farther ? other.sum_sq_diff : kept.sum_sq_diff;
    merged.sum_sq_expected = farther ? other.sum_sq_expected : kept.sum_sq_expected;
    kept = merged;
  }
}

/// A worker's claim as a number of bytes; nothing if it can't be one.
static std::optional<std::uint64_t> bounded_claim(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0 || bytes > 1e15) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

void note_memory(MemoryReading& memory, const CallResult& call, bool cuda) {
  memory.observed_growth_bytes = call.observed_growth_bytes;
  if (!cuda) return;
  memory.claimed_peak_bytes = bounded_claim(call.claims.peak_bytes);
  memory.claimed_base_bytes = bounded_claim(call.claims.base_bytes);
}

Result<json> Evaluation::set_flags(const json& flags) {
  json message = flags;
  message["op"] = "flags";
  return baseline_->worker().request(std::move(message), trusted_stages_.call_s, "runtime_error");
}

Result<std::optional<CallResult>> Evaluation::run_variant(Variant& variant, const CallPlan& plan, CallOptions call) {
  if (!variant.result.problem.empty()) return std::nullopt;
  call.model = variant.model;
  KBV_TRY_ASSIGN(const json flags, set_flags(variant.flags));
  variant.result.matmul_tf32 = flags.value("matmul", false);
  variant.result.cudnn_tf32 = flags.value("cudnn", false);
  if (variant.model == "compiled") call.timeout_s = trusted_stages_.build_s;  // it compiles in its first call
  auto result = attested_calls(device_, baseline_->worker(), plan, call);
  KBV_TRY(set_flags(default_flags_));
  if (!result) {
    // Only torch.compile may fail and leave the rest standing, if the worker lives.
    if (variant.model != "compiled" || result.error().code == "crash" || result.error().code == "timeout" ||
        result.error().fault != Fault::problem)
      return tl::make_unexpected(std::move(result).error());
    variant.result.problem = result.error().message;
    return std::nullopt;
  }
  // One call of each hand-over is enough to know a trusted worker by, and leaves more time for rounds.
  KBV_TRY_ASSIGN(const auto checks, compare_snapshot(0, plan.order[0]));
  keep_worst(variant.result.check, checks);
  return std::optional(*result);
}

Result<void> Evaluation::prepare_baselines() {
  Reference& reference = *reference_;
  seen_->timing.cache_rule = evicts_cache() ? "cold: last-level cache evicted before each hand-over"
                                            : "warm: caches as the copy of fresh inputs leaves them";
  // Their own buffers: no worker ever maps a buffer of another's.
  KBV_TRY_ASSIGN(CallBuffers buffers, allocate_call_buffers(device_, reference.input_tree(), reference.output_tree()));
  KBV_TRY(bind_call_buffers(baseline_->worker(), buffers, 0));
  baseline_slots_.push_back(std::move(buffers));
  KBV_TRY_ASSIGN(const json defaults, set_flags(json::object()));
  default_flags_ = {{"matmul", defaults["matmul"]}, {"cudnn", defaults["cudnn"]}};

  variants_ = variants(device_.info().backend == "cuda", options_.compile_baseline);
  if (options_.compile_baseline) {
    if (auto compiled = baseline_->worker().request({{"op", "compile"}}, trusted_stages_.build_s, "runtime_error"); !compiled)
      variants_.back().result.problem = compiled.error().message;
  }

  const std::array<int, 1> order{0};
  const CallPlan plan{baseline_slots_, {&reference.draw_in(), 1}, {snapshots_.data(), 1}, order, order};
  CallOptions call;
  call.timeout_s = trusted_stages_.call_s;
  const auto draw_for = [&](const std::string& id) -> Result<DrawReply> {
    call.forward_seed = secret_.seed("forward/" + id);
    const Draw draw{secret_.seed("draw/" + id)};
    return reference.draw({&draw, 1}, 1.0, call.forward_seed);
  };
  for (int round = 0; round < options_.warmup_calls; ++round) {
    for (auto& variant : variants_) {
      KBV_TRY(draw_for(fmt::format("warmup-{}/{}", round, variant.result.name)));
      KBV_TRY(run_variant(variant, plan, call));
    }
  }
  // Warmed up, so that what a library sets up once does not count; in an untimed call.
  call.watch_memory = true;
  KBV_TRY(draw_for("baseline-memory"));
  for (auto& variant : variants_) {
    MemoryReading& memory = variant.result.memory;
    memory.input_bytes = baseline_slots_[0].in.bytes();
    memory.output_bytes = baseline_slots_[0].out.bytes();
    memory.state_bytes = baseline_->state_bytes();
    KBV_TRY_ASSIGN(const auto result, run_variant(variant, plan, call));
    if (result) note_memory(memory, *result, device_.info().backend == "cuda");
  }
  return {};
}

void Evaluation::conclude_baselines() {
  for (auto& variant : variants_) {
    BaselineResult& result = variant.result;
    const bool finite = std::all_of(result.check.begin(), result.check.end(),
                                    [](const OutputCheck& check) { return check.stats.nonfinite == 0; });
    result.ok = result.problem.empty() && finite;
    if (!finite && result.problem.empty()) result.problem = "its output is not finite";
    seen_->baselines.push_back(std::move(result));
  }
  variants_.clear();
}

}  // namespace kbv
