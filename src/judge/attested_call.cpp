// SPDX-License-Identifier: MIT
#include "judge/attested_call.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/statistics.h"
#include "judge/memory_watch.h"
#include "judge/output_order.h"

namespace kbv {

Result<CallBuffers> allocate_call_buffers(Device& device, const nlohmann::json& inputs, const nlohmann::json& outputs) {
  CallBuffers buffers;
  KBV_TRY_ASSIGN(buffers.in, BufferSet::allocate(device, inputs, "input", BufferSet::Kind::shared));
  KBV_TRY_ASSIGN(buffers.out, BufferSet::allocate(device, outputs, "output", BufferSet::Kind::shared));
  return buffers;
}

Result<void> bind_call_buffers(Worker& worker, const CallBuffers& buffers, int slot) {
  const std::string number = std::to_string(slot);
  KBV_TRY(worker.bind("in" + number, buffers.in.tree, buffers.in.buffers));
  return worker.bind("out" + number, buffers.out.tree, buffers.out.buffers);
}

Result<CallResult> attested_calls(Device& device, Worker& worker, const CallPlan& plan, const CallOptions& options) {
  CallResult result;
  Worker::HandOver hand_over;
  hand_over.forward_seed = options.forward_seed;
  hand_over.model = options.model;
  hand_over.null_us = options.null_us;
  hand_over.memory = options.watch_memory;
  hand_over.settle = options.settle;
  hand_over.hold = options.hold;
  hand_over.warm = options.warm_calls;
  hand_over.calls = static_cast<int>(plan.order.size());
  hand_over.slots = static_cast<int>(plan.slots.size());
  // What the last call left is gone before this one starts: stale inputs, stale outputs.
  for (CallBuffers& slot : plan.slots) {
    KBV_TRY(poison_set(device, slot.in));
    KBV_TRY(poison_set(device, slot.out));
  }
  KBV_TRY(device.sync());
  KBV_TRY(worker.begin_calls(hand_over, options.timeout_s));

  std::optional<MemoryWatch> watch;
  if (options.watch_memory) {
    auto started = MemoryWatch::start(device, worker.pid());
    if (!started) return tl::make_unexpected(std::move(started).error());
    watch.emplace(std::move(*started));
  }

  const auto start = Clock::now();
  for (std::size_t i = 0; i < plan.slots.size(); ++i) KBV_TRY(copy_set(device, plan.slots[i].in, plan.pristine[i]));
  if (options.evict_cache) KBV_TRY(device.evict_cache());
  KBV_TRY(device.sync());
  bool well = true;
  std::vector<double> forwards_us;
  for (int number = 0; number < hand_over.warm + hand_over.calls && well; ++number) {
    const int call = number - hand_over.warm;  // below 0: none that counts
    const auto gone = Clock::now();
    worker.go(number, call < 0 ? 0 : plan.order[static_cast<std::size_t>(call)]);
    KBV_TRY(worker.wait_ran(number, options.timeout_s));
    if (call >= 0) forwards_us.push_back(microseconds_between(gone, Clock::now()));
    worker.take(number, call < 0 ? 0 : plan.outputs[static_cast<std::size_t>(call)]);
    KBV_TRY_ASSIGN(well, worker.wait_done(number, options.timeout_s));
  }
  if (well) {
    for (std::size_t call = 0; call < plan.order.size(); ++call)
      KBV_TRY(copy_set(device, plan.snapshots[call], plan.slots[static_cast<std::size_t>(plan.outputs[call])].out));
    KBV_TRY(device.sync());
  }
  const auto end = Clock::now();

  if (watch) result.observed_growth_bytes = watch->stop();
  result.forward_us = median(forwards_us);
  result.attested_us = microseconds_between(start, end);
  KBV_TRY_ASSIGN(const nlohmann::json reply, worker.end_calls(options.timeout_s));
  result.claims = worker.claims();
  if (!well) return fail(Fault::candidate, "crash", "the worker said that a call failed and then that it went well");
  KBV_TRY_ASSIGN(const OutputOrders orders, read_output_orders(reply, plan.slots[0].out.leaves));
  std::vector<BufferSet*> snapshots;
  for (std::size_t call = 0; call < plan.order.size(); ++call) snapshots.push_back(&plan.snapshots[call]);
  KBV_TRY(put_in_order(device, std::move(snapshots), orders));
  return result;
}

}  // namespace kbv
