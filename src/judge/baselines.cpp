// SPDX-License-Identifier: MIT
// The baselines: PyTorch in stated configurations, by the same attested call, before any of the candidate's code runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/evaluation.h"

namespace kbv {
namespace {

using nlohmann::json;

struct Variant {
  BaselineResult result;
  std::string model = "model";
  json flags = json::object();  // what to set; empty: PyTorch's defaults
};

std::vector<Variant> variants(bool cuda, bool compiled) {
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

/// Keeps, for each output, the comparison with the largest error.
void keep_worst(std::vector<OutputCheck>& worst, const std::vector<OutputCheck>& next) {
  if (worst.empty()) {
    worst = next;
    return;
  }
  for (std::size_t i = 0; i < worst.size(); ++i)
    if (next[i].stats.nonfinite > worst[i].stats.nonfinite || next[i].stats.tau > worst[i].stats.tau) worst[i] = next[i];
}

}  // namespace

std::optional<std::uint64_t> bounded_claim(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0 || bytes > 1e15) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

bool Evaluation::evicts_cache() const { return device_.info().backend == "cuda" && !options_.warm; }

Result<void> Evaluation::time_null(const std::string& id, TimeSamples& samples) {
  return time_null(id, samples, baseline_->worker(), *baseline_buffers_);
}

Result<void> Evaluation::time_null(const std::string& id, TimeSamples& samples, Worker& worker, CallBuffers& buffers) {
  CallOptions call;
  call.model = "null";
  call.forward_seed = secret_.seed("forward/" + id);
  call.evict_cache = evicts_cache();
  call.wake = wakes_worker();
  call.timeout_s = options_.stages.call_s;
  KBV_TRY(reference_->draw(secret_.seed("draw/" + id), 1.0, call.forward_seed, true));
  KBV_TRY_ASSIGN(const CallResult null, attested_call(device_, worker, buffers, snapshot_, reference_->draw_in(), call));
  samples.attested_us.push_back(null.attested_us);
  samples.claimed_us.push_back(null.claims.event_us);
  return {};
}

Result<void> Evaluation::measure_baselines() {
  Reference& reference = *reference_;
  Worker& worker = baseline_->worker();
  seen_->cache_rule = evicts_cache() ? "cold: last-level cache evicted before each timed call" : "warm: caches as the copy of fresh inputs leaves them";

  // Their own buffers: no worker ever maps a buffer of another's.
  KBV_TRY_ASSIGN(baseline_buffers_, allocate_call_buffers(device_, reference.input_tree(), reference.output_tree()));
  CallBuffers& buffers = *baseline_buffers_;
  KBV_TRY(bind_call_buffers(worker, buffers));
  const double flags_s = options_.stages.call_s;
  const auto set_flags = [&](const json& flags) -> Result<json> {
    json message = flags;
    message["op"] = "flags";
    return worker.request(std::move(message), flags_s, "runtime_error");
  };
  KBV_TRY_ASSIGN(const json defaults, set_flags(json::object()));
  const json default_flags = {{"matmul", defaults["matmul"]}, {"cudnn", defaults["cudnn"]}};

  auto list = variants(device_.info().backend == "cuda", options_.compile_baseline);
  if (options_.compile_baseline) {
    if (auto compiled = worker.request({{"op", "compile"}}, options_.stages.build_s, "runtime_error"); !compiled)
      list.back().result.problem = compiled.error().message;
  }

  CallOptions call;
  call.timeout_s = options_.stages.call_s;
  const auto run_variant = [&](Variant& variant, TimeSamples* samples) -> Result<void> {
    if (!variant.result.problem.empty()) return {};
    call.model = variant.model;
    KBV_TRY_ASSIGN(const json flags, set_flags(variant.flags));
    variant.result.matmul_tf32 = flags.value("matmul", false);
    variant.result.cudnn_tf32 = flags.value("cudnn", false);
    CallOptions slow_first = call;  // torch.compile compiles in its first call
    if (variant.model == "compiled") slow_first.timeout_s = options_.stages.build_s;
    auto result = attested_call(device_, worker, buffers, snapshot_, reference.draw_in(), slow_first);
    KBV_TRY(set_flags(default_flags));
    if (!result) {
      // Only torch.compile may fail and leave the rest standing, if the worker lives.
      if (variant.model != "compiled" || result.error().code == "crash" || result.error().code == "timeout" ||
          result.error().fault != Fault::problem)
        return tl::make_unexpected(std::move(result).error());
      variant.result.problem = result.error().message;
      return {};
    }
    KBV_TRY_ASSIGN(const auto checks, compare_snapshot());
    keep_worst(variant.result.check, checks);
    if (call.watch_memory) {
      MemoryReading& memory = variant.result.memory;
      memory.observed_growth_bytes = result->observed_growth_bytes;
      if (device_.info().backend == "cuda") {
        memory.claimed_peak_bytes = bounded_claim(result->claims.peak_bytes);
        memory.claimed_base_bytes = bounded_claim(result->claims.base_bytes);
      }
    }
    if (samples) {
      samples->attested_us.push_back(result->attested_us);
      samples->claimed_us.push_back(result->claims.event_us);
    }
    return {};
  };

  const auto draw_for = [&](const std::string& id) -> Result<DrawReply> {
    call.forward_seed = secret_.seed("forward/" + id);
    return reference.draw(secret_.seed("draw/" + id), 1.0, call.forward_seed, true);
  };
  for (int round = 0; round < options_.warmup_calls; ++round) {
    for (auto& variant : list) {
      KBV_TRY(draw_for(fmt::format("warmup-{}/{}", round, variant.result.name)));
      KBV_TRY(run_variant(variant, nullptr));
    }
  }
  // Warmed up, so that what a library sets up once does not count; in an untimed call.
  call.watch_memory = true;
  KBV_TRY(draw_for("baseline-memory"));
  for (auto& variant : list) {
    variant.result.memory.input_bytes = buffers.in.bytes();
    variant.result.memory.output_bytes = buffers.out.bytes();
    variant.result.memory.state_bytes = baseline_->state_bytes();
    KBV_TRY(run_variant(variant, nullptr));
  }
  call.watch_memory = false;

  // Round robin, the null in each round, each call on inputs of its own, and another first in each round: so that
  // drift, and what a call leaves behind for the next, meet all alike.
  call.evict_cache = evicts_cache();
  call.wake = wakes_worker();
  const auto begun = Clock::now();
  const auto uncertainty = [&] {
    double largest = 0;
    for (const Variant& variant : list)
      if (variant.result.problem.empty())
        largest = std::max(largest, net_time_uncertainty(variant.result.time.attested_us, seen_->null.attested_us));
    return largest;
  };
  for (int round = 0;; ++round) {
    seen_->baselines_ended_by = sampling_ends(options_.sampling, round, seconds_since(begun), uncertainty());
    if (!seen_->baselines_ended_by.empty()) break;
    for (std::size_t i = 0; i <= list.size(); ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % (list.size() + 1);
      const std::string id = fmt::format("baseline-{}/{}", round, turn);
      if (turn == list.size()) {
        KBV_TRY(time_null(id, seen_->null));
        continue;
      }
      KBV_TRY(draw_for(id));
      KBV_TRY(run_variant(list[turn], &list[turn].result.time));
    }
  }
  for (auto& variant : list) {
    BaselineResult& result = variant.result;
    const bool finite = std::all_of(result.check.begin(), result.check.end(),
                                    [](const OutputCheck& check) { return check.stats.nonfinite == 0; });
    result.ok = result.problem.empty() && finite;
    if (!finite && result.problem.empty()) result.problem = "its output is not finite";
    seen_->baselines.push_back(std::move(result));
  }
  // It gives its memory back and lives on, idle, so that the candidate's calls have as many neighbours as the baselines'.
  KBV_TRY(worker.request({{"op", "forget"}, {"sets", false}}, flags_s, "runtime_error"));
  return {};
}

}  // namespace kbv
