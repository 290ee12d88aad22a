// SPDX-License-Identifier: MIT
#include "judge/attested_call.h"

#include <optional>

#include "judge/memory_watch.h"

namespace kbv {

Result<CallBuffers> allocate_call_buffers(Device& device, const nlohmann::json& inputs, const nlohmann::json& outputs) {
  CallBuffers buffers;
  KBV_TRY_ASSIGN(buffers.in, BufferSet::allocate(device, inputs, "input", BufferSet::Kind::shared));
  KBV_TRY_ASSIGN(buffers.out, BufferSet::allocate(device, outputs, "output", BufferSet::Kind::shared));
  return buffers;
}

Result<void> bind_call_buffers(Worker& worker, const CallBuffers& buffers) {
  KBV_TRY(worker.bind("in", buffers.in.tree, buffers.in.buffers));
  return worker.bind("out", buffers.out.tree, buffers.out.buffers);
}

Result<CallResult> attested_call(Device& device, Worker& worker, CallBuffers& buffers, BufferSet& snapshot,
                                 const BufferSet& pristine, const CallOptions& options) {
  CallResult result;
  if (options.wake) {
    KBV_TRY(worker.begin_call("null", 0, false, options.timeout_s));
    worker.go();
    KBV_TRY(worker.wait_done(options.timeout_s));
    KBV_TRY(worker.end_call(options.timeout_s));
  }
  // What the last call left is gone before this one starts: stale inputs, stale outputs.
  KBV_TRY(poison_set(device, buffers.in));
  KBV_TRY(poison_set(device, buffers.out));
  KBV_TRY(device.sync());
  KBV_TRY(worker.begin_call(options.model, options.forward_seed, options.watch_memory, options.timeout_s));

  std::optional<MemoryWatch> watch;
  if (options.watch_memory) {
    auto started = MemoryWatch::start(device, worker.pid());
    if (!started) return tl::make_unexpected(std::move(started).error());
    watch.emplace(std::move(*started));
  }

  const auto start = Clock::now();
  KBV_TRY(copy_set(device, buffers.in, pristine));
  if (options.evict_cache) KBV_TRY(device.evict_cache());
  KBV_TRY(device.sync());
  worker.go();
  KBV_TRY_ASSIGN(const bool well, worker.wait_done(options.timeout_s));
  if (well) {
    KBV_TRY(copy_set(device, snapshot, buffers.out));
    KBV_TRY(device.sync());
  }
  const auto end = Clock::now();

  if (watch) result.observed_growth_bytes = watch->stop();
  result.claims = worker.claims();
  result.attested_us = microseconds_between(start, end);
  KBV_TRY(worker.end_call(options.timeout_s));
  if (!well) return fail(Fault::candidate, "crash", "the worker said that a call failed and then that it went well");
  return result;
}

}  // namespace kbv
