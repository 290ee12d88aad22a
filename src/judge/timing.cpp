// SPDX-License-Identifier: MIT
// The times: baselines, null and candidate in turn, round after round, so that drift meets all alike.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "judge/evaluation.h"
#include "os/own_core.h"

namespace kbv {
namespace {

constexpr int k_pilot_rounds = 3;  ///< of single calls, before it is decided how many calls a hand-over takes
constexpr int k_anchor_every = 5;  ///< later, each so many rounds one is of single calls
constexpr int k_most_redone = 20;  ///< rounds that are made again since the device was disturbed
constexpr double k_idle_timeout_s = 10;
constexpr double k_longest_null_us = 5000;

/// Which slots are called, in which order: `calls` of `slots`, by a secret seed.
std::vector<int> secret_order(std::uint64_t seed, int calls, int slots) {
  std::vector<int> order(static_cast<std::size_t>(slots));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  order.resize(static_cast<std::size_t>(calls));
  return order;
}

/// The turns of round `number`: another is first each time, and odd rounds run backwards (ABBA).
template <typename T>
std::vector<T> in_order_of_round(std::vector<T> turns, int number) {
  std::rotate(turns.begin(), turns.begin() + (number / 2) % std::ssize(turns), turns.end());
  if (number % 2 == 1) std::reverse(turns.begin(), turns.end());
  return turns;
}

}  // namespace

Result<void> Evaluation::bind_slots(int slots, int snapshots) {
  const auto grow = [&](std::vector<CallBuffers>& buffers, Worker& worker) -> Result<void> {
    while (std::ssize(buffers) < slots) {
      KBV_TRY_ASSIGN(CallBuffers next,
                     allocate_call_buffers(device_, reference_->input_tree(), reference_->output_tree()));
      KBV_TRY(bind_call_buffers(worker, next, static_cast<int>(buffers.size())));
      buffers.push_back(std::move(next));
    }
    return {};
  };
  KBV_TRY(reference_->bind_draws(device_, slots));
  KBV_TRY(grow(baseline_slots_, baseline_->worker()));
  candidate_->process().thaw();
  auto grown = grow(candidate_slots_, *candidate_);
  candidate_->process().freeze();
  KBV_TRY(grown);
  while (std::ssize(snapshots_) < snapshots) {
    KBV_TRY_ASSIGN(BufferSet next, BufferSet::allocate(device_, reference_->output_tree(), "output",
                                                       BufferSet::Kind::private_to_judge));
    snapshots_.push_back(std::move(next));
  }
  return {};
}

Result<bool> Evaluation::draw_round(Round& round) {
  const int slots = slots_of(round.calls);
  round.order = secret_order(secret_.seed("order/" + round.id), round.calls, slots);
  round.outputs = secret_order(secret_.seed("outputs/" + round.id), round.calls, slots);
  round.forward_seed = secret_.seed("forward/" + round.id);
  std::vector<Draw> draws;
  for (int slot = 0; slot < slots; ++slot) {
    const bool called = std::find(round.order.begin(), round.order.end(), slot) != round.order.end();
    const std::string draw_id = round.calls == 1 ? round.id : fmt::format("{}/{}", round.id, slot);
    draws.push_back({secret_.seed("draw/" + draw_id), called});
  }
  KBV_TRY_ASSIGN(DrawReply drawn, reference_->draw(draws, 1.0, round.forward_seed));
  round.inputs = std::move(drawn.inputs);
  return drawn.finite;
}

/// One hand-over to one implementation. False: torch.compile has failed.
Result<bool> Evaluation::take_turn(const Turn& turn, const Round& round, DeviceWatch& watch, CallResult& result) {
  const bool is_candidate = turn.samples == &seen_->candidate_time;
  std::vector<CallBuffers>& buffers = is_candidate ? candidate_slots_ : baseline_slots_;
  Worker& worker = is_candidate ? *candidate_ : baseline_->worker();
  const std::size_t slots = round.inputs.size();
  const CallPlan plan{{buffers.data(), slots},
                      {reference_->draws_in().data(), slots},
                      {snapshots_.data(), round.order.size()},
                      round.order,
                      round.outputs};
  CallOptions call;
  call.forward_seed = round.forward_seed;
  call.evict_cache = evicts_cache();
  call.warm_calls = seen_->timing.warm_calls;
  call.settle = true;
  call.timeout_s = (is_candidate ? options_.stages : trusted_stages_).call_s;

  if (is_candidate) candidate_->process().thaw();
  for (std::size_t slot = 0; slot < slots; ++slot)
    KBV_TRY(tell_inputs(worker, buffers, static_cast<int>(slot), round.inputs[slot]));
  if (turn.variant) {
    KBV_TRY_ASSIGN(const auto made, run_variant(*turn.variant, plan, call));
    if (made) result = *made;
    return made.has_value();
  }
  if (!is_candidate) {
    call.model = "null";
    call.null_us = seen_->timing.null_us;
    KBV_TRY_ASSIGN(result, attested_calls(device_, worker, plan, call));
    return true;
  }

  KBV_TRY_ASSIGN(result, call_candidate(round.id, plan, call));
  // It can't run while it is checked, nor in the others' turns; what it left running on the device ends first.
  candidate_->process().freeze();
  KBV_TRY_ASSIGN(const double busy_ms, watch.wait_until_idle(k_idle_timeout_s));
  seen_->timing.busy_after_calls += busy_ms > 0;
  seen_->timing.longest_busy_ms = std::max(seen_->timing.longest_busy_ms, busy_ms);
  CaseResult& entry = seen_->cases.back();
  entry.ran = true;
  for (std::size_t i = 0; i < round.order.size(); ++i) {
    KBV_TRY_ASSIGN(const auto checks, compare_snapshot(static_cast<int>(i), round.order[i]));
    keep_worst(entry.outputs, checks);
    KBV_TRY_ASSIGN(const bool changed, inputs_changed(round.order[i]));
    entry.mutated_inputs = entry.mutated_inputs || changed;
  }
  return true;
}

Result<void> Evaluation::time_round(const std::vector<Turn>& turns, int number, int calls, DeviceWatch& watch) {
  Round round;
  round.id = fmt::format("timed-{}", number);
  round.calls = calls;
  KBV_TRY_ASSIGN(const bool finite, draw_round(round));
  CaseResult& entry = seen_->cases.emplace_back();
  entry.id = round.id;
  entry.kind = "timed";
  entry.distribution = k_distributions[0].name;
  entry.seed = secret_.seed("draw/" + round.id);
  entry.calls = calls;
  if (!finite) {
    entry.dropped = true;
    entry.drop_reason = "the reference's output is not finite";
    ++seen_->timing.redone_rounds;
    return {};
  }
  std::vector<std::pair<TimeSamples*, CallResult>> taken;
  for (const Turn& turn : in_order_of_round(turns, number)) {
    CallResult result;
    KBV_TRY_ASSIGN(const bool made, take_turn(turn, round, watch, result));
    if (made) taken.emplace_back(turn.samples, result);
  }
  seen_->timing.device.push_back(watch.state());
  const bool disturbed = DeviceWatch::disturbed(seen_->timing.device.back());
  if (disturbed && seen_->timing.redone_rounds < k_most_redone) {
    ++seen_->timing.redone_rounds;
    return {};
  }
  ++seen_->timing.rounds;
  for (const auto& [samples, result] : taken) {
    if (calls > 1) {
      samples->batch_us.push_back(result.attested_us);
      samples->batch_forward_us.push_back(result.forward_us);
      samples->batch_claimed_us.push_back(result.claims.event_us);
    } else {
      samples->attested_us.push_back(result.attested_us);
      samples->forward_us.push_back(result.forward_us);
      samples->claimed_us.push_back(result.claims.event_us);
    }
  }
  return {};
}

Result<void> Evaluation::prepare_batches(const std::vector<Turn>& turns, DeviceWatch& watch) {
  Timing& timing = seen_->timing;
  KBV_TRY_ASSIGN(timing.memory_bytes_per_s, watch.memory_bytes_per_s());
  if (device_.info().backend == "cuda" && timing.operations > 0) {
    KBV_TRY_ASSIGN(timing.operations_per_s, reference_->operations_per_s());
  }
  BatchFacts facts;
  facts.host = device_.info().backend == "host";
  facts.draws_random = reference_->draws_random();
  facts.slot_bytes = baseline_slots_[0].in.bytes() + baseline_slots_[0].out.bytes();
  facts.state_bytes = baseline_->state_bytes();
  facts.bytes_per_s = timing.memory_bytes_per_s;
  if (facts.host) {
    facts.free_bytes =
        static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  } else {
    KBV_TRY_ASSIGN(const std::uint64_t used, device_.memory_used_bytes());
    facts.free_bytes = device_.info().total_bytes - std::min(used, device_.info().total_bytes);
  }
  bool first = true;
  for (const Turn& turn : turns) {
    if (turn.samples == &seen_->null || turn.samples->attested_us.empty()) continue;
    const double time_us = net_time(*turn.samples, seen_->null, 1, Span::whole).time_us;
    facts.fastest_us = first ? time_us : std::min(facts.fastest_us, time_us);
    facts.slowest_us = first ? time_us : std::max(facts.slowest_us, time_us);
    first = false;
  }
  // A host that has waited long comes back from it later, and the null is to bear what the others do.
  if (!facts.host) timing.null_us = std::min(facts.fastest_us, k_longest_null_us);
  const BatchChoice choice = choose_batch(facts);
  timing.batch_calls = choice.calls;
  timing.why_single = choice.why_single;
  if (choice.calls == 1) return {};
  return bind_slots(slots_of(choice.calls), choice.calls);
}

Result<void> Evaluation::measure_times() {
  Timing& timing = seen_->timing;
  std::vector<Turn> turns{{"null", nullptr, &seen_->null}};
  for (Variant& variant : variants_) turns.push_back({variant.result.name, &variant, &variant.result.time});
  turns.push_back({"candidate", nullptr, &seen_->candidate_time});

  if (options_.instrument) {
    timing.floor_us = options_.instrument->floor_us;
    timing.floor_part = options_.instrument->part;
    timing.floor_measured_at = options_.instrument->measured_at;
  }
  timing.warm_calls = warm_calls();
  DeviceWatch watch(device_);
  // Beside a GPU only: on the CPU the threads of a worker are what is measured.
  std::optional<OwnCore> core;
  if (device_.info().backend == "cuda") core.emplace(std::vector<pid_t>{baseline_->worker().pid(), candidate_->pid()});
  candidate_->process().freeze();
  KBV_TRY(watch.wait_until_idle(k_idle_timeout_s));
  timing.device.push_back(watch.state());
  const auto begun = Clock::now();
  // The largest part of its time by which one of those compared may be off.
  const auto uncertainty = [&] {
    double largest = 0;
    for (const Turn& turn : turns) {
      if (turn.samples == &seen_->null || turn.samples->attested_us.empty()) continue;
      const NetTime net = net_time(*turn.samples, seen_->null, timing.batch_calls, Span::forward);
      largest = std::max(largest,
                         net.time_us > 0 ? net.uncertainty_us / net.time_us : std::numeric_limits<double>::infinity());
    }
    return largest;
  };
  for (int round = 0; timing.ended_by.empty(); ++round) {
    const bool batches = timing.batch_calls > 1;
    const bool single = !batches || round % k_anchor_every == 0;
    KBV_TRY(time_round(turns, round, single ? 1 : timing.batch_calls, watch));
    if (round + 1 == k_pilot_rounds) KBV_TRY(prepare_batches(turns, watch));
    const int counting = timing.batch_calls > 1 ? static_cast<int>(seen_->null.batch_us.size()) : timing.rounds;
    timing.ended_by = timing.rounds >= options_.sampling.max_calls
                          ? "call limit"
                          : sampling_ends(options_.sampling, counting, seconds_since(begun), uncertainty());
    if (timing.redone_rounds > 2 * k_most_redone) timing.ended_by = "call limit";  // no draw is finite
  }
  conclude_baselines();
  return {};
}

}  // namespace kbv
